import { create, type DescMessage, type DescMethodUnary } from "@bufbuild/protobuf";
import { BytesValueSchema } from "@bufbuild/protobuf/wkt";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { Health } from "@cloud/proto/grpc/health/v1/health_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createServiceTransport, type RpcServer, type ServiceTransport } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";

let server: RpcServer;
let transport: ServiceTransport;
beforeAll(async () => {
  server = await startAccessServer(() => ({ allowed: true }));
  transport = createServiceTransport({ url: server.url, serviceToken: TOKEN, deadlineMs: 30_000 });
});
afterAll(async () => {
  transport.close();
  await server.stop();
});

// The peer's message has a string where this one has bytes.
const METHOD: DescMethodUnary<DescMessage, DescMessage> = {
  ...AccessService.method.checkAccess,
  input: BytesValueSchema,
};

async function failureOf(value: Uint8Array, method = METHOD): Promise<ConnectError> {
  const message = create(BytesValueSchema, { value });
  const call = transport.unary(method, undefined, undefined, undefined, message);
  return await call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => ConnectError.from(error),
  );
}

const termsOf = (error: ConnectError) => [Code[error.code], codeOf(reasonOf(error)), error.rawMessage];

test("a message of this program that its peer cannot decode is INTERNAL, not its caller's fault", async () => {
  const error = await failureOf(Uint8Array.of(0xff));
  expect(termsOf(error)).toEqual(["Internal", "INTERNAL", "internal error"]);
  expect(termsOf(ConnectError.from(error.cause))).toEqual([
    "InvalidArgument",
    "INVALID_PARAMETER",
    "request message must be a valid workspace.v1.CheckAccessRequest",
  ]);
});

test("a message of this program that is too large for its peer is UNAVAILABLE, not its caller's fault", async () => {
  // The peer takes 64 KiB of this RPC; this program sends no more than 16 MiB to any.
  const small = { ...Health.method.check, input: BytesValueSchema };
  for (const error of [await failureOf(new Uint8Array(2 ** 16), small), await failureOf(new Uint8Array(2 ** 24))]) {
    expect(termsOf(error)).toEqual(["Unavailable", "UNAVAILABLE", "the service is temporarily unavailable"]);
    expect(ConnectError.from(error.cause).code).toBe(Code.ResourceExhausted);
  }
});
