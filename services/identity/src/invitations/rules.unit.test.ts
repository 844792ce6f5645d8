import { refusal } from "@cloud/access/testing";
import { describe, expect, test } from "@jest/globals";
import type { RoleName } from "../memberships/rules.ts";
import { assertInviterMayGive, parseInvitee } from "./rules.ts";

const outcome = (work: () => unknown) => refusal((async () => work())());

describe("parseInvitee", () => {
  test.each([
    ["", "", "user_id must be the id of a user unless an email is sent"],
    ["x", "a@b.cd", "email must be empty when the id of a user is sent"],
    ["", "a", "email must be an email address"],
  ])("%j and %j are refused", async (userId, email, text) => {
    expect(await outcome(() => parseInvitee({ userId, email }))).toBe("400 INVALID_PARAMETER: " + text);
  });

  test("returns a user id as it was sent, and an email without the space around it", () => {
    expect(parseInvitee({ userId: "X", email: "" })).toEqual({ userId: "X" });
    expect(parseInvitee({ userId: "", email: " A@b.cd " })).toEqual({ email: "A@b.cd" });
  });
});

describe("assertInviterMayGive", () => {
  const lost = "409 INVITER_LOST_ROLE: the sender of the invitation may no longer give its roles";
  const cases: [RoleName, { isOrgAdmin: boolean; isProviderAdmin: boolean } | "service", string][] = [
    ["User", { isOrgAdmin: false, isProviderAdmin: false }, lost],
    ["Org Admin", { isOrgAdmin: true, isProviderAdmin: false }, "not refused"],
    ["Provider Admin", { isOrgAdmin: true, isProviderAdmin: false }, lost],
    ["Provider Admin", { isOrgAdmin: false, isProviderAdmin: true }, "not refused"],
    ["Provider Admin", "service", "not refused"],
  ];
  test.each(cases)("%s of %j: %s", async (role, inviter, expected) => {
    expect(await outcome(() => assertInviterMayGive([role], inviter))).toBe(expected);
  });
});
