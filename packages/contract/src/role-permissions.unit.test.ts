import { create } from "@bufbuild/protobuf";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { expect, test } from "@jest/globals";
import { setPermissions } from "./principal.ts";

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
