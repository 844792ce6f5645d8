import type { Message } from "@bufbuild/protobuf";
import { readWeights } from "../http/negotiation.ts";

/** The bounds of a server stream, and its form. */
export interface StreamSettings {
  /** Milliseconds without a message after which a sign of life is sent; 15,000 if absent. */
  readonly heartbeatMs?: number;
  /** Milliseconds without a message after which the stream is cut with DEADLINE_EXCEEDED; 300,000 if absent. */
  readonly idleMs?: number;
  /** Milliseconds after which the RPC's deadline ends the stream; 3,600,000 if absent. */
  readonly longestMs?: number;
  /** Milliseconds for which a client may leave what is written unread; 30,000 if absent. */
  readonly unreadMs?: number;
  /** Returns the form of a message as a server-sent event; a record without an id if absent. */
  readonly event?: (message: Message) => ServerSentEvent;
  /** The format for a client that accepts several equally; an array of JSON if absent. */
  readonly format?: StreamType;
}

/** The media types of streams. */
export type StreamType = "application/json" | "application/x-ndjson" | "text/event-stream";

/** The form of a message as a server-sent event. */
export interface ServerSentEvent {
  /** The field `id` of the event, after which a client continues. Line breaks are removed. */
  readonly id?: string;
  /**
   * Whether the message is no record. With an id it only sets the id, in server-sent events; without one it is a sign
   * of life in every format.
   */
  readonly isMark?: boolean;
  /** The name of the event of a record, for listeners of that name; `message` if absent. */
  readonly name?: string;
}

export const STREAM_SETTINGS = {
  // Proxies close connections that are silent for 30 or 60 s.
  heartbeatMs: 15_000,
  idleMs: 300_000,
  longestMs: 3_600_000,
  unreadMs: 30_000,
  event: (): ServerSentEvent => RECORD,
  format: "application/json",
} as const satisfies Required<StreamSettings>;

const RECORD: ServerSentEvent = {};

/** The functions and texts that turn the messages of a stream into one body. */
export interface StreamFormat {
  readonly type: StreamType;
  /** Other names of the type in Accept. */
  readonly aliases: readonly string[];
  /** The text before the first record. */
  readonly begin: string;
  /** Writes a message's JSON. `name` is the name of the event, where it has one. */
  readonly record: (json: string, isFirst: boolean, name: string | undefined) => string;
  /** Writes the JSON of an error, as the last record. */
  readonly error: (json: string, isFirst: boolean) => string;
  /** The text after the last record of a stream without an error. */
  readonly end: string;
  /** A text without a meaning, which shows proxies and clients that the connection is in use. */
  readonly beat: string;
  /**
   * Writes the id that a client continues after, in front of a record or by itself; undefined where ids have no place.
   */
  readonly id: ((id: string, isMark: boolean) => string) | undefined;
}

/**
 * Chooses the format that an Accept header weighs most. Among equal ones a format that it names comes first, then the
 * preferred one, then array, lines and events in this order. Undefined if it refuses all.
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

/** Returns the format of a media type; also for a client whose `Accept` allows none of the formats. */
export function formatOf(type: StreamType): StreamFormat {
  return FORMATS.find((format) => format.type === type) ?? JSON_ARRAY;
}

/** The format of one array. A client that reads it as it comes finds a record in each line. */
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

/** The format with a JSON record in each line. */
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

/** Milliseconds after which a client connects again; all clients of a server do so when it stops. */
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
