import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { HttpResponse } from "./http-response.ts";
import { SMALL_BODY } from "./read-body.ts";
import { isSendable } from "./sendable.ts";
import { writeStream } from "./write-stream.ts";

/** Of node:http or node:http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Writes a response. For HEAD the body is only measured. A header that HTTP cannot carry is omitted. */
export function writeResponse(request: NodeRequest, response: NodeResponse, content: HttpResponse): void {
  if (response.headersSent || response.destroyed) return;
  // As text, Node sends it with the head in one write; a Buffer costs a writev of two, three times as dear.
  const { body, encoding = "utf8" } = content;
  const isHttp2 = "stream" in response;
  const lingers = !isHttp2 && isLargeUnread(request as IncomingMessage);
  const fields = fieldsOf(content.headers);
  if (body !== undefined) fields.push("Content-Length", String(byteLength(body, encoding)));
  if (lingers) fields.push("Connection", "close");
  writeHead(response as ServerResponse, content.status, fields);
  if (isHttp2) stopUnread(request as Http2ServerRequest, response);
  if (content.stream !== undefined) writeStream(request, response as ServerResponse, content.stream);
  else if (lingers) lingerThenEnd(request as IncomingMessage, response as ServerResponse, content);
  else (response as ServerResponse).end(request.method === "HEAD" ? undefined : body, encoding);
}

function byteLength(body: string | Uint8Array, encoding: BufferEncoding): number {
  return typeof body === "string" ? Buffer.byteLength(body, encoding) : body.byteLength;
}

/** Names and values in turn, the form that Node copies least. */
function fieldsOf(headers: Readonly<Record<string, string>>): string[] {
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? "");
  return fields;
}

// All at once, as names and values in turn: what is set one by one, Node keeps in a table first and copies it from there.
// It checks names and values either way, also against line breaks.
function writeHead(response: ServerResponse, status: number, fields: readonly string[]): void {
  try {
    response.writeHead(status, fields as string[]);
  } catch {
    response.writeHead(
      status,
      fields.filter((_, index) => isSendable(fields[index - (index % 2)] ?? "", fields[index - (index % 2) + 1] ?? "")),
    );
  }
}

/** Ends the stream of a request that is refused before it has been received: the rest is not wanted (RFC 9113, 8.1). */
function stopUnread(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (!request.complete) response.once("finish", () => response.stream.close(NO_ERROR));
}

const NO_ERROR = 0;

/** Eight of the largest bodies: a client may send its body completely before it reads the response. */
const LINGER_BYTES = 8 * 2 ** 20;
/** Enough to send such a body at 1 Mbit/s; short enough that no client can hold many connections with it. */
const LINGER_MS = 10_000;
/** Bytes of a body that are read in its turn: what Node reads at once, and may pass on in parts. */
const TURN_BYTES = 64 * 2 ** 10;
/**
 * Milliseconds between two turns, of all refused bodies together: 13 MB/s. Read as fast as they came, eight clients that
 * sent 1 MB again and again made the process read 60 MB/s, and the 99th percentile of all other callers rose from 13 to
 * 52 ms.
 */
const APART_MS = 5;

/** Returns whether so much of a body is unread that Node would not read the rest of it, and close the connection. */
function isLargeUnread({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > SMALL_BODY);
}

/**
 * Sends the response, whose head is written, completely; reads and drops what the client still sends, for a while; and
 * only then closes the connection. If a server closes while the client is still sending, the client's system drops the
 * response (RST).
 */
function lingerThenEnd(request: IncomingMessage, response: ServerResponse, { body, encoding }: HttpResponse): void {
  response.flushHeaders();
  if (body !== undefined && request.method !== "HEAD") response.write(body, encoding ?? "utf8");
  let dropped = 0;
  let ofTurn = 0;
  const end = () => {
    clearTimeout(timer);
    request.off("data", drop);
    response.end();
  };
  const drop = (chunk: Buffer) => {
    dropped += chunk.length;
    ofTurn += chunk.length;
    if (dropped > LINGER_BYTES) return end();
    if (ofTurn < TURN_BYTES) return;
    ofTurn = 0;
    request.pause();
    inTurn(() => void request.resume());
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on("data", drop).once("end", end).once("close", end).once("error", end).resume();
}

const turns: (() => void)[] = [];
let pace: NodeJS.Timeout | undefined;

/** Calls `act` when 5 ms have passed since the previous turn, in the order of the calls. */
function inTurn(act: () => void): void {
  turns.push(act);
  pace ??= setInterval(() => {
    const next = turns.shift();
    if (next !== undefined) return next();
    clearInterval(pace);
    pace = undefined;
  }, APART_MS).unref();
}
