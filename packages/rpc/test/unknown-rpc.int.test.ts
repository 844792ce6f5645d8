import http2 from "node:http2";
import { text } from "node:stream/consumers";
import grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { startUnbuiltServer } from "./start-unbuilt-server.ts";

let server: RpcServer;

beforeAll(async () => {
  server = await startUnbuiltServer();
});
afterAll(() => server.stop());

const UNKNOWN = ["/workspace.v1.WorkspaceService/PaintWorkspace", "/nowhere.v1.Service/Call", "/"];

// grpc/doc/interop-test-descriptions.md: unimplemented_method, unimplemented_service.
describe.each(UNKNOWN)("%s, which no service has", (path) => {
  test("is UNIMPLEMENTED to another implementation of gRPC", async () => {
    const client = new grpc.Client(server.url.replace("http://", ""), grpc.credentials.createInsecure());
    const call = new Promise((resolve, reject) =>
      client.makeUnaryRequest(
        path,
        () => Buffer.alloc(0),
        (bytes: Buffer) => bytes,
        {},
        (error, reply) => (error ? reject(error) : resolve(reply)),
      ),
    );
    await expect(call).rejects.toMatchObject({
      code: grpc.status.UNIMPLEMENTED,
      details: "this operation is not implemented",
    });
    client.close();
  });

  test.each(["application/grpc", "application/grpc+proto", "application/grpc-web+proto", "Application/gRPC-Web"])(
    "is HTTP 200 with a status in the headers: %s",
    async (contentType) => {
      const session = http2.connect(server.url);
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": contentType, te: "trailers" });
      stream.end(Buffer.alloc(5));
      const headers = await new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>((resolve, reject) =>
        stream.once("response", resolve).once("error", reject),
      );
      expect(headers).toMatchObject({ ":status": 200, "content-type": contentType, "grpc-status": "12" });
      expect(await text(stream)).toBe("");
      session.close();
    },
  );
});

test("a path that is not an RPC remains 404 for other clients", async () => {
  const response = await fetch(server.url + "/nowhere.v1.Service/Call", { method: "POST", body: "{}" });
  expect([response.status, await response.text()]).toEqual([404, "no such path\n"]);
});
