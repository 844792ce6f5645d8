import type { Message } from "@bufbuild/protobuf";

/** What a message is as a server-sent event. */
export interface ServerSentEvent {
  /** After which a client continues: the field `id` of the event. Line breaks are removed. */
  readonly id?: string;
  /**
   * Whether the message is no record: with an id, as server-sent events, it only sets that; without one, it is a sign of
   * life in every format.
   */
  readonly isMark?: boolean;
  /** The name of the event of a record, for listeners of that name; `message` if absent. */
  readonly name?: string;
}

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
  /** Returns what a message is as a server-sent event; a record without an id if absent. */
  readonly event?: (message: Message) => ServerSentEvent;
  /** The format for a client that accepts several equally; an array of JSON if absent. */
  readonly format?: StreamType;
}

/** The media types of streams. */
export type StreamType = "application/json" | "application/x-ndjson" | "text/event-stream";

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
