import { once } from "node:events";
import http2, { type ClientHttp2Stream, constants } from "node:http2";
import { promisify } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AccessService,
  type CheckAccessRequest,
  CheckAccessRequestSchema,
} from "@cloud/proto/workspace/v1/access_service_pb";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { frame } from "./raw-call.ts";
import { CHECK, OPERATOR, startUserServer } from "./start-user-server.ts";

let server: RpcServer;
let session: http2.ClientHttp2Session;
/** The requests that the handler has received. */
let received: CheckAccessRequest[];
let handling: PromiseWithResolvers<void>;
let mayReply: PromiseWithResolvers<void>;

beforeEach(async () => {
  received = [];
  handling = Promise.withResolvers();
  mayReply = Promise.withResolvers();
  server = await startUserServer({
    services: [AccessService],
    routes: (router) =>
      router.service(AccessService, {
        checkAccess: async (request) => {
          received.push(request);
          handling.resolve();
          await mayReply.promise;
          return { allowed: true };
        },
      }),
  });
  session = http2.connect(server.url);
});
afterEach(async () => {
  session.destroy();
  await server.stop();
});

function begin(): ClientHttp2Stream {
  const headers = { "content-type": "application/grpc", te: "trailers", authorization: `Bearer ${OPERATOR}` };
  return session.request({ ":method": "POST", ":path": CHECK, ...headers });
}

const REQUEST = create(CheckAccessRequestSchema, { userId: "u".repeat(300), resourceId: "w".repeat(300) });
const FRAMED = frame(toBinary(CheckAccessRequestSchema, REQUEST));

async function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  const [trailers] = await once(stream.resume(), "trailers");
  return trailers["grpc-status"];
}

test("a message in frames of one byte is received whole", async () => {
  mayReply.resolve();
  const stream = begin();
  const write = promisify((bytes: Buffer, done: () => void) => stream.write(bytes, done));
  for (const byte of FRAMED) await write(Buffer.of(byte));
  stream.end();
  expect(await statusOf(stream)).toBe("0");
  expect(received).toEqual([REQUEST]);
});

test.each(["NGHTTP2_NO_ERROR", "NGHTTP2_CANCEL", "NGHTTP2_INTERNAL_ERROR"] as const)(
  "a caller that resets its call by %s while it is handled costs others nothing",
  async (code) => {
    const stream = begin().on("error", () => undefined);
    stream.end(FRAMED);
    await handling.promise;
    stream.close(constants[code]);
    await new Promise((resolve) => stream.once("close", resolve)); // unlike once of node:events, also after an error
    const other = begin();
    other.end(FRAMED);
    mayReply.resolve();
    expect(await statusOf(other)).toBe("0");
    expect(received).toHaveLength(2);
  },
);

test("control: half of a message is refused", async () => {
  const stream = begin();
  stream.end(FRAMED.subarray(0, FRAMED.length / 2));
  expect(await statusOf(stream)).toBe("3");
  expect(received).toEqual([]);
});
