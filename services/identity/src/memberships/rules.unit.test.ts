import { codeOf, reasonOf } from "@cloud/access/errors";
import { fieldRuleOf } from "@cloud/access/lists";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { describe, expect, test } from "@jest/globals";
import { assertMayChangeRoles, parseRoleNames, ROLE_NAMES, type RoleName } from "./rules.ts";

const outcome = (work: () => unknown) => {
  try {
    work();
    return "allowed";
  } catch (error) {
    return codeOf(reasonOf(error));
  }
};

describe("parseRoleNames", () => {
  test.each([[[]], [["user"]], [["User", ""]], [["User "]], [["constructor"]]])("%j is refused", (names) => {
    expect(outcome(() => parseRoleNames(names))).toBe("INVALID_PARAMETER");
  });

  test("returns each once, lowest first", () => {
    expect(parseRoleNames(["Org Admin", "User", "Org Admin"])).toEqual(["User", "Org Admin"]);
  });
});

test("the roles are the values of their kind of field", () => {
  expect(fieldRuleOf(FieldKind.ROLE).values).toEqual(ROLE_NAMES);
});

describe("assertMayChangeRoles", () => {
  const cases: [RoleName[], RoleName[], boolean, string][] = [
    [[], ["Provider Admin"], false, "PERMISSION_DENIED"],
    [["Provider Admin"], [], false, "PERMISSION_DENIED"],
    [["Provider Admin", "User"], ["User"], false, "PERMISSION_DENIED"],
    [["Provider Admin"], ["Provider Admin", "User"], false, "allowed"],
    [[], ["Org Admin"], false, "allowed"],
    [["Org Admin"], [], false, "allowed"],
    [[], ["Provider Admin"], true, "allowed"],
    [["Provider Admin"], [], true, "allowed"],
  ];
  test.each(cases)(
    "from %j to %j, by a Provider Admin: %s, is %s",
    (before, after, callerIsProviderAdmin, expected) => {
      expect(outcome(() => assertMayChangeRoles({ before, after, callerIsProviderAdmin }))).toBe(expected);
    },
  );
});
