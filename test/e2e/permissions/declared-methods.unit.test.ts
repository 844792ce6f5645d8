import { readdirSync, readFileSync } from "node:fs";
import { accessRuleOf } from "@cloud/access";
import { permissionName } from "@cloud/access/principal";
import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { expect, test } from "@jest/globals";
import { type DecidedBy, PROMISED_METHODS } from "./promised-methods.ts";
import { findServedMethods, type ServedMethod } from "./served-methods.ts";

const SCOPES: Readonly<Record<Exclude<DecidedBy, "service">, Scope>> = {
  record: Scope.RECORD,
  recordOrOwner: Scope.RECORD_OR_OWNER,
  creation: Scope.CREATION,
  list: Scope.LIST,
  listOrCurrent: Scope.LIST_OR_CURRENT,
  recordOrCaller: Scope.RECORD_OR_CALLER,
  recordOrAll: Scope.RECORD_OR_ALL,
  anyOrganization: Scope.ANY_ORGANIZATION,
  caller: Scope.CALLER,
};

const served = await findServedMethods();

test("each RPC has a promise", () => {
  const missing = served.filter(({ promised }) => promised === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error("add who may call " + missing.join(", ") + " to test/e2e/permissions/promised-methods.ts");
  }
  const promised = Object.entries(PROMISED_METHODS).flatMap(([service, methods]) =>
    Object.keys(methods).map((method) => service + "/" + method),
  );
  expect(promised.toSorted()).toEqual(served.map(({ name }) => name).toSorted());
});

test.each(served.map((method) => [method.name, method] as const))("%s declares what is promised", (_name, method) => {
  expect(declared(method)).toEqual(promisedOf(method));
});

function declared({ desc }: ServedMethod) {
  const { forServicesOnly, callers: named, scope, permission } = accessRuleOf(desc);
  const key = permission === Permission.UNSPECIFIED ? undefined : permissionName(permission);
  const callers = named.filter((name) => name !== "operator"); // who may call every RPC
  return { forServicesOnly, callers, scope, key };
}

function promisedOf({ promised }: ServedMethod) {
  const { decidedBy, callers = [], permission: key } = promised ?? {};
  const forServicesOnly = decidedBy === "service";
  const scope = decidedBy === undefined || decidedBy === "service" ? Scope.UNSPECIFIED : SCOPES[decidedBy];
  return { forServicesOnly, callers, scope, key };
}

test("no service names a permission key: only the options in proto/ do", () => {
  const root = new URL("../../../services/", import.meta.url);
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\/src\/.*\.ts$/.test(file),
  );
  expect(sources.length).toBeGreaterThan(100);
  const naming = sources.filter((file) =>
    /permission_pb|permissionName/.test(readFileSync(new URL(file, root), "utf8")),
  );
  expect(naming).toEqual([]);
});
