import type { IncomingMessage, ServerResponse } from "node:http";
import { SMALL_BODY } from "./read-body.ts";

/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text; undefined for none. */
  readonly body: string | undefined;
  /** latin1 if the body is bytes, one character for each; otherwise it is sent as UTF-8. */
  readonly encoding?: "latin1";
}

/** Writes a response. For HEAD the body is only measured. A header that HTTP cannot carry is omitted. */
export function writeResponse(request: IncomingMessage, response: ServerResponse, content: HttpResponse): void {
  if (response.headersSent || response.destroyed) return;
  // As text, Node sends it with the head in one write; a Buffer costs a writev of two, three times as dear.
  const { body, encoding = "utf8" } = content;
  response.statusCode = content.status;
  for (const [name, value] of Object.entries(content.headers)) {
    setSendable(response, name, value);
  }
  if (body !== undefined) response.setHeader("Content-Length", Buffer.byteLength(body, encoding));
  if (isLargeUnread(request)) lingerThenEnd(request, response, content);
  else response.end(body, encoding);
}

// Node itself reads and drops the rest of a small body, and keeps the connection.
function isLargeUnread({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > SMALL_BODY);
}

// If a server closes while the client is still sending, the client's system drops the response (RST). So the response
// is sent completely, further input is discarded for a while, and only then the connection is closed.
function lingerThenEnd(request: IncomingMessage, response: ServerResponse, { body, encoding }: HttpResponse): void {
  response.setHeader("Connection", "close");
  response.flushHeaders();
  if (body !== undefined) response.write(body, encoding ?? "utf8");
  let dropped = 0;
  const end = () => {
    clearTimeout(timer);
    request.off("data", drop);
    response.end();
  };
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on("data", drop).once("end", end).once("close", end).once("error", end).resume();
}

/** Eight of the largest bodies: a client may send its body completely before it reads the response. */
const LINGER_BYTES = 8 * 2 ** 20;
/** Enough to send such a body at 1 Mbit/s; short enough that no client can hold many connections with it. */
const LINGER_MS = 10_000;

// Node checks name and value, also against line breaks.
function setSendable(response: ServerResponse, name: string, value: string): void {
  try {
    response.setHeader(name, value);
  } catch {
    // Omitted.
  }
}
