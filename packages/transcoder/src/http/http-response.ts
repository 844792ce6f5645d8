import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import { isLargeUnread, lingerThenEnd } from "./linger.ts";

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
  const lingers = isLargeUnread(request);
  const fields = fieldsOf(content.headers);
  if (body !== undefined) fields.push("Content-Length", String(Buffer.byteLength(body, encoding)));
  if (lingers) fields.push("Connection", "close");
  writeHead(response, content.status, fields);
  if (lingers) lingerThenEnd(request, response, content);
  else response.end(body, encoding);
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
      fields.filter((_, index) => isSendable(fields, index - (index % 2))),
    );
  }
}

function isSendable(fields: readonly string[], at: number): boolean {
  const [name = "", value = ""] = fields.slice(at, at + 2);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
