import type { JsonValue } from "@bufbuild/protobuf";

/** Thrown instead of an answer over the limit. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/** The fields of a reply, and the items of its lists. */
const LEVELS = 2;

/**
 * Writes a reply as `JSON.stringify` does, item by item, and stops at the first one that takes it over the limit: a
 * character of a message takes up to six in JSON, so 16 MiB of them become 96 MiB.
 *
 * @throws AnswerTooLarge over `limit` bytes of UTF-8.
 */
export function writeJson(reply: JsonValue, limit: number): string {
  let room = limit;
  const write = (json: JsonValue, levels: number): string => {
    if (levels > 0 && Array.isArray(json)) return `[${json.map((item) => write(item, levels - 1)).join(",")}]`;
    if (levels > 0 && typeof json === "object" && json !== null) {
      return `{${Object.entries(json)
        .map(([key, value]) => `${JSON.stringify(key)}:${write(value, levels - 1)}`)
        .join(",")}}`;
    }
    const text = JSON.stringify(json);
    room -= Buffer.byteLength(text);
    if (room < 0) throw new AnswerTooLarge(`an answer over ${limit} bytes`);
    return text;
  };
  const text = write(reply, LEVELS);
  // Without the brackets, commas and names, which are few.
  if (Buffer.byteLength(text) > limit) throw new AnswerTooLarge(`an answer over ${limit} bytes`);
  return text;
}
