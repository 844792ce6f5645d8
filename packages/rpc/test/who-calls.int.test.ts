import { CALLER_MARK } from "@cloud/access/principal";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { CHECK, OPERATOR, PROFILE, startUserServer, USER, WORKSPACE } from "./start-user-server.ts";
import { bearer, emptyMessage, outcomeOf, UNAUTHENTICATED, WIRES } from "./wires.ts";

let server: RpcServer;
beforeAll(async () => {
  server = await startUserServer();
});
afterAll(() => server.stop());

const NOT_ALLOWED = "SERVICE_NOT_ALLOWED: the service workspace may not call this operation";

describe.each(WIRES)("over %s", (_name, wire) => {
  const call = async (path: string, more: Readonly<Record<string, string>>) => {
    const headers = { "content-type": wire.contentType, te: "trailers", ...more };
    return outcomeOf(wire, await wire.send(server.url, { path, headers, body: emptyMessage(wire) }));
  };

  test("the operator's credential is accepted for every RPC, a service's for the RPCs that name it", async () => {
    for (const path of [PROFILE, CHECK]) {
      expect(await call(path, bearer(OPERATOR))).toBe("ok");
      expect(await call(path, bearer(WORKSPACE))).toBe(NOT_ALLOWED);
    }
    expect(await call(PROFILE, bearer(USER))).toBe("ok");
  });

  test("no service credential is accepted on a call that is marked as a user's", async () => {
    for (const mark of [{ [CALLER_MARK.header]: CALLER_MARK.value }, { "X-Cloud-Caller": "service" }]) {
      for (const path of [PROFILE, CHECK]) {
        expect(await call(path, { ...bearer(OPERATOR), ...mark })).toBe(UNAUTHENTICATED);
        expect(await call(path, { ...bearer(WORKSPACE), ...mark })).toBe(UNAUTHENTICATED);
      }
      expect(await call(PROFILE, { ...bearer(USER), ...mark })).toBe("ok");
    }
  });
});
