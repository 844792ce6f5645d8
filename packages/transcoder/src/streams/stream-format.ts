import { readWeights } from "../http/accept-header.ts";
import type { StreamType } from "./stream-settings.ts";

/** How the messages of a stream become one body. */
export interface StreamFormat {
  readonly type: StreamType;
  /** Other names of the type in Accept. */
  readonly aliases: readonly string[];
  /** Before the first record. */
  readonly begin: string;
  /** Writes a message's JSON. `name` is that of the event where it has one. */
  readonly record: (json: string, isFirst: boolean, name: string | undefined) => string;
  /** Writes the JSON of an error, as the last record. */
  readonly error: (json: string, isFirst: boolean) => string;
  /** After the last record of a stream without an error. */
  readonly end: string;
  /** Without a meaning, so that proxies and clients see that the connection is in use. */
  readonly beat: string;
  /** Writes the id that a client continues after, in front of a record or by itself; undefined where ids have no place. */
  readonly id: ((id: string, isMark: boolean) => string) | undefined;
}

/** One array. A client that reads it as it comes finds a record in each line. */
const JSON_ARRAY: StreamFormat = {
  type: "application/json",
  aliases: [],
  begin: "[",
  record: (json, isFirst) => `${isFirst ? "\n" : ",\n"}${json}`,
  error: (json, isFirst) => `${isFirst ? "\n" : ",\n"}{"error":${json}}`,
  end: "\n]\n",
  beat: "\n",
  id: undefined,
};

/** A record in each line. */
const NDJSON: StreamFormat = {
  type: "application/x-ndjson",
  aliases: ["application/ndjson", "application/jsonl"],
  begin: "",
  record: (json) => `${json}\n`,
  error: (json) => `{"error":${json}}\n`,
  end: "",
  beat: "\n",
  id: undefined,
};

/** Milliseconds after which a client connects again: all of a server do so when it stops. */
const RETRY_MS = 1_000;

/** Server-sent events of the HTML standard. A browser connects again unless its page closes on the event `end`. */
const EVENTS: StreamFormat = {
  type: "text/event-stream",
  aliases: [],
  begin: `retry: ${RETRY_MS}\n\n`,
  record: (json, _isFirst, name) => `${name === undefined ? "" : `event: ${name}\n`}data: ${json}\n\n`,
  error: (json) => `event: error\ndata: ${json}\n\n`,
  end: "event: end\ndata: {}\n\n",
  beat: ":\n\n",
  // An event without data is not dispatched, but its id is kept.
  id: (id, isMark) => `id: ${id.replaceAll(/[\0\r\n]/g, "")}\n${isMark ? "\n" : ""}`,
};

const FORMATS = [JSON_ARRAY, NDJSON, EVENTS] as const;

/**
 * Chooses the format that an Accept header weighs most; of equal ones that which it names, then the preferred one, then
 * the first of array, lines and events. Undefined if it refuses all.
 */
export function chooseFormat(accept: string | undefined, preferred: StreamType): StreamFormat | undefined {
  const weightOf = readWeights(accept);
  let chosen: StreamFormat | undefined;
  let best = { quality: 0, precision: -1 };
  for (const format of [formatOf(preferred), ...FORMATS]) {
    for (const name of [format.type, ...format.aliases]) {
      const weight = weightOf(name);
      const isBetter =
        weight.quality > best.quality || (weight.quality === best.quality && weight.precision > best.precision);
      if (weight.quality === 0 || !isBetter) continue;
      chosen = format;
      best = weight;
    }
  }
  return chosen;
}

/** Returns the format of a media type: what a client receives that refuses all of them, where it receives anything. */
export function formatOf(type: StreamType): StreamFormat {
  return FORMATS.find((format) => format.type === type) ?? JSON_ARRAY;
}
