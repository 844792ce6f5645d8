import { codeOf, fail, reasonOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { errorOf, sendHttp2 } from "./raw-call.ts";
import { OPERATOR, startUserServer, USER } from "./start-user-server.ts";
import { bearer, emptyMessage, WIRES, type Wire } from "./wires.ts";

const PATH = "/identity.v1.UserService/UpdatePreferences";

let server: RpcServer;
beforeAll(async () => {
  server = await startUserServer({
    services: [UserService],
    routes: (router) => {
      router.service(UserService, {
        updatePreferences: () => {
          throw fail(Reason.INVALID_PARAMETER, { parameter: "selected_workspace", accepts: "an id" });
        },
        createUser: () => {
          throw fail(Reason.ORGANIZATION_ID_REQUIRED);
        },
      });
    },
  });
});
afterAll(() => server.stop());

const ALL_WIRES: readonly (readonly [string, Wire])[] = [
  ...WIRES,
  ["Connect JSON, HTTP/2", { send: sendHttp2, contentType: "application/json" }],
];

test.each(ALL_WIRES)("over %s, a text of the catalogue names the field as proto spells it", async (_, wire) => {
  const { send, contentType } = wire;
  const headers = { "content-type": contentType, ...bearer(OPERATOR) };
  const body = emptyMessage(wire);
  const error = errorOf(await send(server.url, { path: "/identity.v1.UserService/CreateUser", headers, body }));
  expect([error.rawMessage, codeOf(reasonOf(error))]).toEqual([
    "organization_id is required",
    "ORGANIZATION_ID_REQUIRED",
  ]);
});

test.each(ALL_WIRES)("over %s, an error names the field as proto spells it", async (_, wire) => {
  const { send, contentType } = wire;
  const headers = { "content-type": contentType, ...bearer(USER) };
  const error = errorOf(await send(server.url, { path: PATH, headers, body: emptyMessage(wire) }));
  expect(error.rawMessage).toBe("selected_workspace must be an id");
  const [info] = error.findDetails(ErrorInfoSchema);
  expect(info?.metadata).toEqual({ parameter: "selected_workspace", accepts: "an id" });
});
