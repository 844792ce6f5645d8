import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { HttpResponse } from "./http-response.ts";
import { isLargeUnread, lingerThenEnd } from "./linger.ts";
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
