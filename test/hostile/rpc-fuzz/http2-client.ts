import http2 from "node:http2";
import type { WireAnswer, WireClient, WireRequest } from "../wire/send-http.ts";

/** Creates a client that keeps one HTTP/2 connection, and opens another when the server closes it. */
export function createHttp2Client(url: string, deadlineMs = 20_000): WireClient {
  let session: http2.ClientHttp2Session | undefined;
  const connected = () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = http2.connect(url);
      session.on("error", () => undefined); // reported by each of its streams
    }
    return session;
  };
  const send = ({ method, path, headers, body = Buffer.alloc(0) }: WireRequest) =>
    new Promise<WireAnswer>((resolve, reject) => {
      const stream = connected().request({ ":method": method, ":path": path, ...Object.fromEntries(headers) });
      const limit = setTimeout(() => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
        reject(new Error("no answer in " + deadlineMs + " ms"));
      }, deadlineMs);
      const chunks: Buffer[] = [];
      let status = 0;
      let received: http2.IncomingHttpHeaders = {};
      let trailers: NodeJS.Dict<string> = {};
      stream.on("response", (headers) => {
        status = Number(headers[":status"]);
        received = headers;
      });
      stream.on("trailers", (headers) => {
        trailers = headers as NodeJS.Dict<string>;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", () => undefined); // a reset counts by its code
      stream.on("close", () => {
        clearTimeout(limit);
        if (status === 0) reject(new Error("reset with " + stream.rstCode));
        else resolve({ status, headers: received, body: Buffer.concat(chunks), trailers });
      });
      stream.end(body);
    });
  return { send, close: () => session?.destroy() };
}
