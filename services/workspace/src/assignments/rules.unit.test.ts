import { reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { expect, test } from "@jest/globals";
import {
  assertDesignAssignable,
  assertEnvironmentAssignable,
  assertTeamAssignable,
  assertViewAssignable,
} from "./rules.ts";

const [home, abroad] = [newId<OrganizationId>(), newId<OrganizationId>()];
const me = { type: "user", userId: "me" } as const;
const system = { type: "service", userId: "" } as const;

test.each<[string, () => void, Reason | undefined]>([
  ["a team of the organization", () => assertTeamAssignable({ organizationId: home }, home), undefined],
  [
    "a team of another organization",
    () => assertTeamAssignable({ organizationId: abroad }, home),
    Reason.TEAM_IN_OTHER_ORGANIZATION,
  ],
  [
    "an environment of another organization",
    () => assertEnvironmentAssignable({ organizationId: abroad, platformProvisioned: false }, home),
    Reason.ENVIRONMENT_IN_OTHER_ORGANIZATION,
  ],
  [
    "a platform-provisioned environment of another organization: the organization is checked first",
    () => assertEnvironmentAssignable({ organizationId: abroad, platformProvisioned: true }, home),
    Reason.ENVIRONMENT_IN_OTHER_ORGANIZATION,
  ],
  [
    "a platform-provisioned environment",
    () => assertEnvironmentAssignable({ organizationId: home, platformProvisioned: true }, home),
    Reason.ENVIRONMENT_NOT_ATTACHABLE,
  ],
  [
    "any user's design of the organization",
    () => assertDesignAssignable({ organizationId: home, owner: "you" }, home, me),
    undefined,
  ],
  [
    "the caller's own design of another organization",
    () => assertDesignAssignable({ organizationId: abroad, owner: "me" }, home, me),
    undefined,
  ],
  [
    "another user's design of another organization",
    () => assertDesignAssignable({ organizationId: abroad, owner: "you" }, home, me),
    Reason.DESIGN_IN_OTHER_ORGANIZATION,
  ],
  [
    "a design without an owner, of another organization",
    () => assertDesignAssignable({ organizationId: abroad, owner: "" }, home, { type: "user", userId: "" }),
    Reason.DESIGN_IN_OTHER_ORGANIZATION,
  ],
  [
    "a design of another organization, by a service",
    () => assertDesignAssignable({ organizationId: abroad, owner: "" }, home, system),
    undefined,
  ],
  [
    "a view of another organization",
    () => assertViewAssignable({ organizationId: abroad }, home),
    Reason.VIEW_IN_OTHER_ORGANIZATION,
  ],
])("%s", (_case, check, expected) => {
  let reason: Reason | undefined;
  try {
    check();
  } catch (error) {
    reason = reasonOf(error);
  }
  expect(reason).toBe(expected);
});
