import { expect, test } from "@jest/globals";
import { assertAssignable, assertDetachable } from "./rules.ts";

const ordinary = { organization_id: "home", platform_provisioned: false };
const platform = { organization_id: "home", platform_provisioned: true };
const refused = "this connection cannot be assigned to this environment";

test("assertAssignable requires an ordinary environment and a connection of one organization", () => {
  expect(() => assertAssignable(ordinary, { organization_id: "home" })).not.toThrow();
  expect(() => assertAssignable(ordinary, { organization_id: "abroad" })).toThrow(refused);
  expect(() => assertAssignable(platform, { organization_id: "home" })).toThrow(refused);
});

test("assertDetachable refuses platform-provisioned environments", () => {
  expect(() => assertDetachable(ordinary)).not.toThrow();
  expect(() => assertDetachable(platform)).toThrow("this connection cannot be detached from this environment");
});
