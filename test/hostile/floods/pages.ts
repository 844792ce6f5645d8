import type { Flood } from "./flood.ts";

/** The largest page that needs no token: 0.5 MB. */
const PAGE = Buffer.from("GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");

/** A flood of as many connections as one address may have; each requests a page, and never reads it. */
export const pages: Flood = {
  target: "gateway",
  connections: 1_000,
  everyMs: 1_000,
  reads: false,
  *send() {
    yield PAGE;
  },
};
