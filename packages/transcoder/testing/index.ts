/** CPU time in milliseconds, for work of two sizes, each once. */
export interface Growth {
  readonly small: number;
  readonly large: number;
}

type Work = (bytes: number) => unknown;
/** Returns the CPU time in milliseconds that the work adds to. */
type ReadCpu = () => number;

/** The two sizes of the work in bytes. */
export interface Sizes {
  readonly small: number;
  readonly large: number;
}

/**
 * Returns the growth of work that takes linear time: `factor` times the bytes take about as many times the CPU time,
 * and no more than `budget` milliseconds. Allows the square root of the factor on top, in the middle between linear and
 * quadratic work, and 20 ms for garbage collection. The small work is repeated until it has as many bytes as the large
 * one, so that both leave as much garbage: done once, it may leave too little to be collected, and the large one then
 * seemed to take 70 times as much instead of 16. Measures up to six times and keeps the least of each size, because
 * other programs on the machine slow some runs, not all. `readCpu` reads this process unless given, and `tickMs` is its
 * step: shorter work may be counted as nothing.
 *
 * @returns undefined for work that takes longer.
 */
export async function linearGrowth(
  work: Work,
  sizes: Sizes,
  budget: number,
  readCpu: ReadCpu = ownCpu,
  tickMs = 0,
): Promise<Growth | undefined> {
  const factor = sizes.large / sizes.small;
  let growth: Growth = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 6; run++) {
    const { small, large } = growth;
    growth = {
      small: Math.min(small, (await cpuOf(() => repeat(work, sizes.small, factor), readCpu)) / factor),
      large: Math.min(large, await cpuOf(() => work(sizes.large), readCpu)),
    };
    if (run > 0 && growth.large <= factor ** 1.5 * Math.max(growth.small, tickMs) + 20 && growth.large <= budget)
      return growth;
  }
  return undefined;
}

async function repeat(work: Work, bytes: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await work(bytes);
}

/** Returns the least CPU time of five runs. */
export async function minCpu(work: () => unknown, readCpu: ReadCpu = ownCpu): Promise<number> {
  let min = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) min = Math.min(min, await cpuOf(work, readCpu));
  return min;
}

async function cpuOf(work: () => unknown, readCpu: ReadCpu): Promise<number> {
  const before = readCpu();
  await work();
  return readCpu() - before;
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The part of a request that is hostile, of about the given number of bytes. */
type Part = (bytes: number) => string;

export interface HostileRequest {
  readonly name: string;
  /** The query of a list, after the `?`. */
  readonly query?: Part;
  /** The id in a path, as sent. */
  readonly id?: Part;
  /** The body of an update. */
  readonly body?: Part;
}

/** The names of an API's fields that the requests need. */
export interface HostileNames {
  /** A singular text, a whole number and a list of texts in a query. */
  readonly text: string;
  readonly number: string;
  readonly list: string;
  /** A message in a query, and a field of it. */
  readonly message: string;
  readonly field: string;
  /** Fields of a body: a google.protobuf.Struct, a text, and a text whose two spellings differ. */
  readonly struct: string;
  readonly name: string;
  readonly spellings: readonly [string, string];
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
type InStruct = (name: string, json: Part) => HostileRequest;

const structOf =
  ({ struct }: HostileNames): InStruct =>
  (name, json) => ({ name, body: (bytes) => `{"${struct}":{"a":${json(bytes)}}}` });
const keys = (key: (index: number) => string, bytes: number) => joined(",", bytes, (index) => `"${key(index)}":0`);

/** The honest requests that cost most: a list with an ordinary search, an update with ordinary metadata. */
export function honestRequests(names: HostileNames): HostileRequest[] {
  const inStruct = structOf(names);
  return [
    { name: "a long search", query: (bytes) => `${names.text}=` + times("some%20words%20", bytes) },
    inStruct("records", (bytes) => `[${joined(",", bytes, (index) => `{"id":${index},"name":"n","tags":["a","b"]}`)}]`),
  ];
}

/** Requests that parsers take long for: long runs, many names, deep and wide values, and errors at the very end. */
export function hostileRequests(names: HostileNames): HostileRequest[] {
  const { text, number, list, message, field, name, spellings } = names;
  const inStruct = structOf(names);
  return [
    { name: "a repeated parameter", query: (bytes) => times(`${list}=private&`, bytes) },
    {
      name: "a repeated parameter in all spellings",
      query: (bytes) => times(`${list}[]=a&${list.toUpperCase()}=a&`, bytes),
    },
    { name: "unknown parameters", query: (bytes) => joined("&", bytes, (index) => `p${index}=1`) },
    { name: "names without case", query: (bytes) => times("PageSizeX=1&", bytes) },
    { name: "zeros before an error", query: (bytes) => `${number}=${times("0", bytes)}x` },
    { name: "spaces before an error", query: (bytes) => `${text}=${times("+", bytes)}x` },
    { name: "percent sequences", query: (bytes) => `${text}=${times("%41", bytes)}` },
    { name: "percent sequences before an error", query: (bytes) => `${text}=${times("%41", bytes)}%4` },
    { name: "dots", query: (bytes) => `${message}${times(`.${field}`, bytes)}=true` },
    { name: "only dots", query: (bytes) => `${times(".", bytes)}=true` },
    { name: "brackets", query: (bytes) => `${message}${times(`[${field}]`, bytes)}=true` },
    { name: "open brackets", query: (bytes) => `${message}${times("[", bytes)}=true` },
    { name: "ampersands", query: (bytes) => times("&", bytes) },
    { name: "equals signs", query: (bytes) => times("=", bytes) },
    { name: "a filter of brackets", query: (bytes) => `${message}=${times("[", bytes)}` },
    { name: "a filter of spaces", query: (bytes) => `${message}={${times("+", bytes)}` },
    { name: "an id of percent sequences", id: (bytes) => times("%2F", bytes) },
    { name: "an id before an error", id: (bytes) => `${times("%C3%A9", bytes)}%zz` },
    { name: "segments", id: (bytes) => times("a/", bytes) },
    { name: "colons", id: (bytes) => times(":", bytes) },
    inStruct("a list of zeros", (bytes) => `[${times("0,", bytes)}0]`),
    inStruct("a list of empty objects", (bytes) => `[${times("{},", bytes)}{}]`),
    inStruct("deep and wide", (bytes) => `[${joined(",", bytes, () => "[".repeat(28) + "]".repeat(28))}]`),
    inStruct("a number before an error", (bytes) => `${times("1", bytes)}x`),
    inStruct("a fraction before an error", (bytes) => `1.${times("1", bytes)}x`),
    inStruct("an exponent", (bytes) => `1e${times("1", bytes)}`),
    inStruct("near-duplicate keys", (bytes) => `{${keys((index) => "k".repeat(100) + index, bytes)}}`),
    inStruct("a duplicate at the end", (bytes) => `{"k0":1,${keys((index) => `k${index}`, bytes)}}`),
    inStruct("escaped keys", (bytes) => `{${keys((index) => `\\u006b${index}`, bytes)}}`),
    // Names whose hash is their number collide in a table whose size is a power of two.
    inStruct("colliding names", (bytes) => `{${keys((index) => String(index * 4096), bytes)}}`),
    inStruct("one huge key", (bytes) => `{"${times("k", bytes)}":0}`),
    inStruct("a huge key above many", (bytes) => `{"${times("k", bytes / 2)}":{${keys(String, bytes / 2)}}}`),
    inStruct("one huge escaped key", (bytes) => `{"${times("\\u006b", bytes)}":0}`),
    inStruct("escapes", (bytes) => `"${times("\\n", bytes)}"`),
    inStruct("escapes before an error", (bytes) => `"${times("\\n", bytes)}\\x"`),
    inStruct("a text without an end", (bytes) => `"${times("\\\\", bytes)}`),
    inStruct("spaces before an error", (bytes) => `${times(" ", bytes)}x`),
    inStruct("a list before an error", (bytes) => `[${times("0,", bytes)}]`),
    { name: "unknown fields", body: (bytes) => `{${keys((index) => `field${index}`, bytes)}}` },
    {
      name: "a field in both spellings",
      body: (bytes) => `{"${spellings[0]}":"","${spellings[1]}":"${times("a", bytes)}"}`,
    },
    { name: "a long text", body: (bytes) => `{"${name}":"${times("a", bytes)}"}` },
    { name: "a text of surrogates", body: (bytes) => `{"${name}":"${times("\\ud83d\\ude00", bytes)}\\ud83d"}` },
    { name: "a body of brackets", body: (bytes) => times("[", bytes) },
  ];
}
