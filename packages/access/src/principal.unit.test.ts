import { create } from "@bufbuild/protobuf";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { expect, test } from "@jest/globals";
import { hasTokenForm, setPermissions } from "./principal.ts";

const characters = "Az09-_".padEnd(43, "x");

test.each([
  ["a token", `cst_${characters}`, true],
  ["nothing", "", false],
  ["no prefix", characters, false],
  ["another prefix", `CST_${characters}`, false],
  ["a character too few", `cst_${characters.slice(1)}`, false],
  ["a character too many", `cst_${characters}x`, false],
  ["another alphabet", `cst_${characters.slice(1)}+`, false],
  ["a line break at the end", `cst_${characters}\n`, false],
  ["a token after a line break", `x\ncst_${characters}`, false],
])("%s", (_case, text, expected) => {
  expect(hasTokenForm(text)).toBe(expected);
});

const ROLES = new Map([
  ["viewer", ["List", "View"]],
  ["editor", ["Edit", "View"]],
]);

test.each([
  [["viewer"], ["List", "View"]],
  [
    ["viewer", "editor"],
    ["Edit", "List", "View"],
  ],
  [["unknown"], []],
  [
    ["unknown", "editor"],
    ["Edit", "View"],
  ],
  [[], []],
])("the roles %j hold %j", (roleNames, permissions) => {
  const identity = create(AuthenticateResponseSchema, {
    memberships: [
      { organizationId: "one", roleNames, permissions: ["of before"] },
      { organizationId: "two", roleNames: ["viewer"] },
    ],
  });
  setPermissions([identity], ROLES);
  expect(identity.memberships.map((place) => place.permissions)).toEqual([permissions, ["List", "View"]]);
  expect(ROLES.get("viewer")).toEqual(["List", "View"]);
});
