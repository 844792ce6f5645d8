import http2 from "node:http2";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import type { Identity } from "@cloud/access/principal";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { PROFILE, startUserServer, USER } from "./start-user-server.ts";

let server: RpcServer;
let handled: number;
let asked: PromiseWithResolvers<void>;
let identity: PromiseWithResolvers<Identity>;
const logged = jest.spyOn(console, "error");

beforeEach(async () => {
  handled = 0;
  asked = Promise.withResolvers();
  identity = Promise.withResolvers();
  server = await startUserServer({
    services: [UserService],
    routes: (router) =>
      router.service(UserService, {
        getProfile: () => {
          handled++;
          return {};
        },
      }),
    authenticate: () => {
      asked.resolve();
      return identity.promise;
    },
  });
});
afterEach(() => server.stop());

/** Sends a call and leaves while the caller is being authenticated. */
const leaving: Readonly<Record<string, () => Promise<void>>> = {
  "HTTP/1.1": async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write(`POST ${PROFILE} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n`);
    socket.write(`authorization: Bearer ${USER}\r\n\r\n{}`);
    await asked.promise;
    socket.destroy();
  },
  "HTTP/2": async () => {
    const session = http2.connect(server.url);
    const headers = { ":method": "POST", ":path": PROFILE, "content-type": "application/grpc", te: "trailers" };
    const stream = session.request({ ...headers, authorization: `Bearer ${USER}` });
    stream.on("error", () => undefined).end(Buffer.alloc(5));
    await asked.promise;
    session.destroy();
  },
};

test.each(Object.keys(leaving))("a caller that leaves while it is authenticated over %s", async (version) => {
  await leaving[version]?.();
  const connections = async () => (await fetch(server.url + "/nowhere")).status;
  expect(await connections()).toBe(404);
  identity.resolve(create(AuthenticateResponseSchema, { userId: "u" }));
  await waitFor(async () => ((await connections()) === 404 ? true : undefined), { deadlineMs: 30_000 });
  expect(handled).toBe(0);
  expect(logged).not.toHaveBeenCalled();
});
