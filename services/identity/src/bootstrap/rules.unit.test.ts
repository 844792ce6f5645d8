import type { UserId } from "@cloud/access/values";
import { describe, expect, test } from "@jest/globals";
import { type BootstrapState, planBootstrap } from "./rules.ts";

const ada = "ada" as UserId;
const empty: BootstrapState = { user: undefined, hasProviderAdmin: false, token: undefined };
const isAdmin: BootstrapState = {
  ...empty,
  user: { id: ada, providerAdminOf: ["Corp", "Home"] },
  hasProviderAdmin: true,
};
const isUser: BootstrapState = { ...empty, user: { id: ada, providerAdminOf: [] } };

describe("planBootstrap", () => {
  test.each([
    ["an empty system", empty, false, { user: true, organization: true, token: true }],
    ["an empty system, with a file", empty, true, { user: true, organization: true, token: true }],
    ["a user who exists", isUser, false, { user: false, organization: true, token: true }],
    ["a second run", isAdmin, false, { user: false, organization: false, token: false }],
    ["a second run with a new token in the file", isAdmin, true, { user: false, organization: false, token: true }],
    [
      "a second run with the same file",
      { ...isAdmin, token: { userId: ada, isRevoked: false } },
      true,
      { user: false, organization: false, token: false },
    ],
    [
      "a user who exists with the token in the file",
      { ...isUser, token: { userId: ada, isRevoked: false } },
      true,
      { user: false, organization: true, token: false },
    ],
  ])("%s", (_case, state, hasFile, plan) => {
    expect(planBootstrap(state, { organization: "Corp", hasFile })).toEqual(plan);
  });

  test.each([
    ["another Provider Admin, and a new email", { ...empty, hasProviderAdmin: true }, "who is another user"],
    ["another Provider Admin, and a user", { ...isUser, hasProviderAdmin: true }, "who is another user"],
    ["a revoked token", { ...isAdmin, token: { userId: ada, isRevoked: true } }, "was revoked"],
    ["another user's token", { ...isAdmin, token: { userId: "bob" as UserId, isRevoked: false } }, "another user"],
    ["a token, and no user", { ...empty, token: { userId: ada, isRevoked: false } }, "belongs to another user"],
  ])("refuses %s", (_case, state, message) => {
    expect(() => planBootstrap(state, { organization: "Corp", hasFile: true })).toThrow(message);
  });

  test("refuses another organization, and names the existing ones", () => {
    const wanted = { organization: "Other", hasFile: true };
    expect(() => planBootstrap(isAdmin, wanted)).toThrow(
      'the user is a Provider Admin of "Corp", "Home", and of no organization "Other": nothing was changed. ',
    );
  });
});
