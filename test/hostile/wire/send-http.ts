import http from "node:http";

/** A request as it is sent: the path unescaped, headers in order and possibly repeated. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: NodeJS.Dict<string>;
}

export interface WireClient {
  /** @throws Error if no complete answer arrives in `deadlineMs` */
  send(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

/** Creates a client that sends what it is given, unlike `fetch`, which refuses or corrects it. */
export function createWireClient(url: string, { connections = 8, deadlineMs = 20_000 } = {}): WireClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port, host } = new URL(url);
  const send = (sent: WireRequest) =>
    new Promise<WireAnswer>((resolve, reject) => {
      const { method, path, body } = sent;
      const length = body === undefined ? [] : [["content-length", String(body.length)] as const];
      const headers = [["host", host] as const, ...sent.headers, ...length].flat();
      // Sent as binary: Node accepts characters up to U+00FF in a path.
      const request = http.request({ hostname, port, agent, method, path, headers, setHost: false });
      const limit = setTimeout(() => request.destroy(new Error("no answer in " + deadlineMs + " ms")), deadlineMs);
      const done = () => clearTimeout(limit);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          done();
          const { statusCode: status = 0, headers, trailers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks), trailers });
        });
      });
      request.on("error", (error) => {
        done();
        reject(error);
      });
      request.end(body);
    });
  return { send, close: () => agent.destroy() };
}
