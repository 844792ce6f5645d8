// The backend of gateways that call gRPC: responds with a fixed message, without looking at the request.
import { createServer, type ServerHttp2Stream } from "node:http2";
import { serve } from "../../harness/serve.ts";
import { replies } from "../canned.ts";

const HEADERS = { ":status": 200, "content-type": "application/grpc" };

const frames = new Map([...replies].map(([path, message]) => [path, frame(message)]));

const server = createServer();
server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "" }) => {
  stream.on("error", () => undefined);
  const reply = frames.get(path);
  if (reply === undefined) {
    stream.respond({ ...HEADERS, "grpc-status": "12" }, { endStream: true });
    return;
  }
  stream.resume();
  stream.respond(HEADERS, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(reply);
});
serve(server);

/** An uncompressed message with its length, as gRPC sends it. */
function frame(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
