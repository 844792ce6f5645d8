import { type IncomingMessage, type ServerResponse, validateHeaderValue } from "node:http";

/** An HTTP answer, complete. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** UTF-8 text; undefined for none. */
  readonly body: string | undefined;
}

/** Writes an answer. To HEAD the body is only measured. A header that HTTP cannot carry is left out. */
export function writeAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const body = answer.body === undefined ? undefined : Buffer.from(answer.body);
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) {
    if (isSendable(name, value)) response.setHeader(name, value);
  }
  if (body !== undefined) response.setHeader("Content-Length", body.length);
  if (answer.status === 413 && !request.complete) lingerThenEnd(request, response, body);
  else response.end(body);
}

// A server that closes while the client still sends makes the client's system drop the answer (RST). So the answer is
// sent whole, what the client still sends is thrown away for a while, and only then the connection is closed.
function lingerThenEnd(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
  response.setHeader("Connection", "close");
  response.flushHeaders();
  if (body) response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.once("end", end).once("close", end).once("error", end).resume();
}

/** Enough for a client to read 200 bytes; short enough that nobody can hold many connections by it. */
const LINGER_MS = 2_000;

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
