import http from "node:http";

export interface HttpResponse {
  readonly status: number;
  /** The parsed JSON; undefined if there is none. */
  readonly body: unknown;
}

/** Sends a request with an optional JSON body. @throws whatever breaks the connection */
export type Send = (method: string, path: string, body?: unknown) => Promise<HttpResponse>;

/** Returns an agent that sends all requests on one connection, sequentially, for as long as the server keeps it. */
export const keptConnection = () => new http.Agent({ keepAlive: true, maxSockets: 1 });

/** Opens a new connection for each request. */
export const newConnections = () => new http.Agent({ keepAlive: false });

/** Creates an HTTP/1.1 client that never resends a request, unlike `fetch`. */
export function createHttpClient(url: string, token: string, agent: http.Agent): Send {
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: "Bearer " + token,
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      };
      const request = http.request(url + path, { method, agent, headers, timeout: 20_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const received = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: received === "" ? undefined : JSON.parse(received) });
        });
      });
      request.on("timeout", () => request.destroy(new Error("no answer in 20 s")));
      request.on("error", reject);
      request.end(text);
    });
}
