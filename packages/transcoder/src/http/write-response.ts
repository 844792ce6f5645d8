import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import {
  findHeader,
  findHeaderName,
  type HttpRequest,
  type HttpResponse,
  isSendable,
  type ResponseStream,
} from "./messages.ts";
import { SMALL_BODY } from "./read-body.ts";

/** The request of node:http or node:http2. */
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

/**
 * Returns 304 without a body for a GET whose If-None-Match has the ETag of the response (RFC 9110, 13.1.2), and the
 * response itself otherwise. If-Match is for the service: only it can compare and write at once.
 */
export function applyConditions({ method, headers }: HttpRequest, response: HttpResponse): HttpResponse {
  const tag = findHeader(response.headers, "etag");
  const sent = headers["if-none-match"];
  if (tag === undefined || sent === undefined || response.status !== 200) return response;
  // A stream's messages are being received already, and no client has kept them.
  if (response.stream !== undefined) return response;
  if ((method !== "GET" && method !== "HEAD") || !hasTag(sent, tag)) return response;
  const type = findHeaderName(response.headers, "content-type");
  const kept = Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== type));
  return { status: 304, headers: kept, body: undefined };
}

/** Compares weakly: `W/"a"` and `"a"` are the same. */
function hasTag(list: string, tag: string): boolean {
  if (list.trim() === "*") return true;
  const opaque = tag.replace(/^W\//, "");
  return list.match(/"[\x21\x23-\x7e\x80-\xff]*"/g)?.includes(opaque) ?? false;
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

// All fields at once, as names and values in turn: Node copies fields that are set one by one from a table. It checks
// names and values either way, also against line breaks.
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
    enqueue(() => void request.resume());
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.on("data", drop).once("end", end).once("close", end).once("error", end).resume();
}

/**
 * The most unread bytes, eight of the largest bodies: a client may send all of its body before it reads the response.
 */
const LINGER_BYTES = 8 * 2 ** 20;
/** The longest wait: a body takes it at 1 Mbit/s, and no client can hold many connections with it. */
const LINGER_MS = 10_000;
/** Bytes of a body that are read in its turn: what Node reads at once, and may pass on in parts. */
const TURN_BYTES = 64 * 2 ** 10;
/**
 * Milliseconds between two turns, of all refused bodies together: 3 MB/s. Eight clients that sent 1 MB again and again
 * made the process read 60 MB/s without turns, and the 99th percentile of all other callers rose from 13 to 52 ms. What
 * is read is memory outside the heap, for which V8 collects all garbage: at 13 MB/s three times a second, and the 99th
 * percentile was 19 ms beside 9.
 */
const APART_MS = 20;

const turns: (() => void)[] = [];
let pace: NodeJS.Timeout | undefined;

/** Calls `act` when 20 ms have passed since the previous turn, in the order of the calls. */
function enqueue(act: () => void): void {
  turns.push(act);
  pace ??= setInterval(() => {
    const next = turns.shift();
    if (next !== undefined) return next();
    clearInterval(pace);
    pace = undefined;
  }, APART_MS).unref();
}

/** The response of node:http; the response of node:http2 has the same methods. */
type Response = ServerResponse & { readonly stream?: Http2ServerResponse["stream"] };

/** Writes a body in parts, behind a head that has been written. Cuts it if the client stops reading. Never throws. */
function writeStream(
  request: { readonly method?: string | undefined },
  response: Response,
  stream: ResponseStream,
): void {
  response.flushHeaders();
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  writeParts(response, stream).catch(() => response.destroy());
}

async function writeParts(response: Response, stream: ResponseStream): Promise<void> {
  let written: Promise<unknown> = Promise.resolve();
  while (!response.destroyed) {
    const part = await stream.next();
    if (response.destroyed) return;
    if (part === "end") return void response.end();
    if (part === "cut") return await cut(response, written, stream.unreadMs);
    // An empty write over HTTP/2 overwrites bytes of the one before: Node 26.10, seen in 300 of 300 responses.
    if (part.chunk.length === 0) continue;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    written = promise;
    if (!response.write(part.chunk, resolve)) await once(response, "drain", stream.unreadMs);
  }
}

/** Resolves after the event; destroys the response if it does not occur in time. */
function once(response: Response, event: "drain", ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off(event, done).off("close", done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), ms).unref();
    response.on(event, done).on("close", done);
  });
}

/** Sends what is written, and then closes without the end of the body: the last chunk of HTTP/1.1, or END_STREAM. */
async function cut(response: Response, written: Promise<unknown>, ms: number): Promise<void> {
  const timer = setTimeout(() => response.destroy(), ms).unref();
  response.once("close", () => clearTimeout(timer));
  await written;
  if (response.stream !== undefined) response.stream.close(INTERNAL_ERROR);
  else if (response.socket) response.socket.destroySoon();
  else response.destroy();
}

/** The code INTERNAL_ERROR of RFC 9113, 7. */
const INTERNAL_ERROR = 2;
