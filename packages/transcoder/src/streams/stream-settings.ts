/** The bounds of a server stream. */
export interface StreamSettings {
  /** Milliseconds without a message after which a sign of life is sent; 15,000 if absent. */
  readonly heartbeatMs?: number;
  /** Milliseconds without a message after which the stream is cut with DEADLINE_EXCEEDED; 300,000 if absent. */
  readonly idleMs?: number;
  /** Milliseconds after which the RPC's deadline ends the stream; 3,600,000 if absent. */
  readonly longestMs?: number;
  /** Milliseconds for which a client may leave what is written unread; 30,000 if absent. */
  readonly unreadMs?: number;
}

export const STREAM_SETTINGS: Required<StreamSettings> = {
  // Proxies close connections that are silent for 30 or 60 s.
  heartbeatMs: 15_000,
  idleMs: 300_000,
  longestMs: 3_600_000,
  unreadMs: 30_000,
};
