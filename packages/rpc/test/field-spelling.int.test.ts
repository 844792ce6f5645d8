import { codeOf, fail, reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { errorOf, frame, sendHttp2 } from "./raw-call.ts";
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

/** The request of a caller, and the name of the field in the error. */
type Row = readonly [name: string, sent: string, field: string, wire: Wire];

const rowsOf = ([name, wire]: readonly [string, Wire]): Row[] => {
  if (!wire.contentType.endsWith("json")) return [[name, "", "selected_workspace", wire]];
  return [
    [name, '{"selectedWorkspace":"x"}', "selectedWorkspace", wire],
    [name, '{"selected_workspace":"x"}', "selected_workspace", wire],
    [name, '{"selectedOrganization":"selected_workspace "}', "selectedWorkspace", wire],
    [name, "{}", "selectedWorkspace", wire],
  ];
};

test.each(ALL_WIRES)("over %s, a text of the catalogue names the field as its caller does", async (_, wire) => {
  const { send, contentType } = wire;
  const headers = { "content-type": contentType, ...bearer(OPERATOR) };
  const body = emptyMessage(wire);
  const error = errorOf(await send(server.url, { path: "/identity.v1.UserService/CreateUser", headers, body }));
  const field = contentType.endsWith("json") ? "organizationId" : "organization_id";
  expect([error.rawMessage, codeOf(reasonOf(error))]).toEqual([`${field} is required`, "ORGANIZATION_ID_REQUIRED"]);
});

test.each(ALL_WIRES.flatMap(rowsOf))("over %s, the error of %s names %s", async (_name, text, field, wire) => {
  const { send, contentType } = wire;
  const body = contentType.startsWith("application/grpc") ? frame(Buffer.from(text)) : Buffer.from(text);
  const headers = { "content-type": contentType, ...bearer(USER) };
  const error = errorOf(await send(server.url, { path: PATH, headers, body }));
  expect(error.rawMessage).toBe(`${field} must be an id`);
  const [info] = error.findDetails(ErrorInfoSchema);
  expect(info?.metadata).toEqual({ parameter: field, accepts: "an id" });
});
