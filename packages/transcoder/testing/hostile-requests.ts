/** The part of a request that is hostile, of about the given number of bytes. */
type Part = (bytes: number) => string;

export interface HostileRequest {
  readonly name: string;
  /** Of a list, after the `?`. */
  readonly query?: Part;
  /** The id in a path, as sent. */
  readonly id?: Part;
  /** Of an update. */
  readonly body?: Part;
}

const times = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
const joined = (separator: string, bytes: number, part: (index: number) => string): string => {
  const parts: string[] = [];
  for (let [index, length] = [0, 0]; length < bytes; index++) {
    const text = part(index);
    parts.push(text);
    length += text.length + separator.length;
  }
  return parts.join(separator);
};
const inMetadata = (name: string, json: Part): HostileRequest => ({
  name,
  body: (bytes) => `{"metadata":{"a":${json(bytes)}}}`,
});
const keys = (key: (index: number) => string, bytes: number) => joined(",", bytes, (index) => `"${key(index)}":0`);

/** What an honest client sends that costs most: a list with an ordinary search, an update with ordinary metadata. */
export const HONEST: readonly HostileRequest[] = [
  { name: "a long search", query: (bytes) => "search=" + times("some%20words%20", bytes) },
  inMetadata("records", (bytes) => `[${joined(",", bytes, (index) => `{"id":${index},"name":"n","tags":["a","b"]}`)}]`),
];

/** Requests that parsers take long for: long runs, many names, deep and wide values, and errors at the very end. */
export const HOSTILE: readonly HostileRequest[] = [
  { name: "a repeated parameter", query: (bytes) => times("visibility=private&", bytes) },
  { name: "a repeated parameter in all spellings", query: (bytes) => times("visibility[]=a&VISIBILITY=a&", bytes) },
  { name: "unknown parameters", query: (bytes) => joined("&", bytes, (index) => `p${index}=1`) },
  { name: "names without case", query: (bytes) => times("PageSizeX=1&", bytes) },
  { name: "zeros before an error", query: (bytes) => `page=${times("0", bytes)}x` },
  { name: "spaces before an error", query: (bytes) => `order=${times("+", bytes)}x` },
  { name: "percent sequences", query: (bytes) => `search=${times("%41", bytes)}` },
  { name: "percent sequences before an error", query: (bytes) => `search=${times("%41", bytes)}%4` },
  { name: "dots", query: (bytes) => `filter${times(".assigned", bytes)}=true` },
  { name: "only dots", query: (bytes) => `${times(".", bytes)}=true` },
  { name: "brackets", query: (bytes) => `filter${times("[assigned]", bytes)}=true` },
  { name: "open brackets", query: (bytes) => `filter${times("[", bytes)}=true` },
  { name: "ampersands", query: (bytes) => times("&", bytes) },
  { name: "equals signs", query: (bytes) => times("=", bytes) },
  { name: "a filter of brackets", query: (bytes) => `filter=${times("[", bytes)}` },
  { name: "a filter of spaces", query: (bytes) => `filter={${times("+", bytes)}` },
  { name: "an id of percent sequences", id: (bytes) => times("%2F", bytes) },
  { name: "an id before an error", id: (bytes) => `${times("%C3%A9", bytes)}%zz` },
  { name: "segments", id: (bytes) => times("a/", bytes) },
  { name: "colons", id: (bytes) => times(":", bytes) },
  inMetadata("a list of zeros", (bytes) => `[${times("0,", bytes)}0]`),
  inMetadata("a list of empty objects", (bytes) => `[${times("{},", bytes)}{}]`),
  inMetadata("deep and wide", (bytes) => `[${joined(",", bytes, () => "[".repeat(28) + "]".repeat(28))}]`),
  inMetadata("a number before an error", (bytes) => `${times("1", bytes)}x`),
  inMetadata("a fraction before an error", (bytes) => `1.${times("1", bytes)}x`),
  inMetadata("an exponent", (bytes) => `1e${times("1", bytes)}`),
  inMetadata("near-duplicate keys", (bytes) => `{${keys((index) => "k".repeat(100) + index, bytes)}}`),
  inMetadata("a duplicate at the end", (bytes) => `{"k0":1,${keys((index) => `k${index}`, bytes)}}`),
  inMetadata("escaped keys", (bytes) => `{${keys((index) => `\\u006b${index}`, bytes)}}`),
  // Names whose hash is their number collide in a table whose size is a power of two.
  inMetadata("colliding names", (bytes) => `{${keys((index) => String(index * 4096), bytes)}}`),
  inMetadata("one huge key", (bytes) => `{"${times("k", bytes)}":0}`),
  inMetadata("a huge key above many", (bytes) => `{"${times("k", bytes / 2)}":{${keys(String, bytes / 2)}}}`),
  inMetadata("one huge escaped key", (bytes) => `{"${times("\\u006b", bytes)}":0}`),
  inMetadata("escapes", (bytes) => `"${times("\\n", bytes)}"`),
  inMetadata("escapes before an error", (bytes) => `"${times("\\n", bytes)}\\x"`),
  inMetadata("a text without an end", (bytes) => `"${times("\\\\", bytes)}`),
  inMetadata("spaces before an error", (bytes) => `${times(" ", bytes)}x`),
  inMetadata("a list before an error", (bytes) => `[${times("0,", bytes)}]`),
  { name: "unknown fields", body: (bytes) => `{${keys((index) => `field${index}`, bytes)}}` },
  {
    name: "a field in both spellings",
    body: (bytes) => `{"organizationId":"","organization_id":"${times("a", bytes)}"}`,
  },
  { name: "a long text", body: (bytes) => `{"name":"${times("a", bytes)}"}` },
  { name: "a text of surrogates", body: (bytes) => `{"name":"${times("\\ud83d\\ude00", bytes)}\\ud83d"}` },
  { name: "a body of brackets", body: (bytes) => times("[", bytes) },
];
