import type { ServerOptions } from "node:http2";
import { MAX_SESSION_MEGABYTES } from "./cut-streams.ts";

/**
 * What one HTTP/2 connection may cost a server. Node's own limits are 2^32 streams, 64 KiB of headers, and 1,000 resets
 * at once: with them, 4 connections took the 99th percentile of all other callers from 0.1 to over 6 s.
 */
export const H2C_LIMITS = {
  settings: {
    /** The least that RFC 9113 (6.5.2) recommends. More calls wait at the client, which may open another connection. */
    maxConcurrentStreams: 100,
    /** Bytes; as over HTTP/1.1. */
    maxHeaderListSize: 16_384,
    enablePush: false,
  },
  maxSessionMemory: MAX_SESSION_MEGABYTES,
  /** Resets beyond these end the connection: when a gateway's clients leave, all its calls may be reset at once. */
  streamResetBurst: 512,
  streamResetRate: 50,
  /** Invalid frames, and streams beyond the limit, after which the connection ends. */
  maxSessionInvalidFrames: 32,
  maxSessionRejectedStreams: 512,
} as const satisfies ServerOptions;
