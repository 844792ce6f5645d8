import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { newId, type OrganizationId, reasonOf } from "@cloud/rpc";
import { expect, test } from "@jest/globals";
import {
  assertDesignAssignable,
  assertEnvironmentAssignable,
  assertTeamAssignable,
  assertViewAssignable,
} from "./assignment-rules.ts";

const [home, abroad] = [newId<OrganizationId>(), newId<OrganizationId>()];
const me = { kind: "user", userId: "me" } as const;
const system = { kind: "service", userId: "" } as const;

test.each<[string, () => void, Reason | undefined]>([
  ["a team of the organization", () => assertTeamAssignable({ organizationId: home }, home), undefined],
  [
    "a team of another",
    () => assertTeamAssignable({ organizationId: abroad }, home),
    Reason.TEAM_IN_OTHER_ORGANIZATION,
  ],
  [
    "an environment of another",
    () => assertEnvironmentAssignable({ organizationId: abroad, platformProvisioned: false }, home),
    Reason.ENVIRONMENT_IN_OTHER_ORGANIZATION,
  ],
  [
    "the platform's environment of another: where it lies comes first",
    () => assertEnvironmentAssignable({ organizationId: abroad, platformProvisioned: true }, home),
    Reason.ENVIRONMENT_IN_OTHER_ORGANIZATION,
  ],
  [
    "the platform's environment",
    () => assertEnvironmentAssignable({ organizationId: home, platformProvisioned: true }, home),
    Reason.ENVIRONMENT_NOT_ATTACHABLE,
  ],
  [
    "anybody's design of the organization",
    () => assertDesignAssignable({ organizationId: home, owner: "you" }, home, me),
    undefined,
  ],
  [
    "one's own design of another",
    () => assertDesignAssignable({ organizationId: abroad, owner: "me" }, home, me),
    undefined,
  ],
  [
    "somebody's design of another",
    () => assertDesignAssignable({ organizationId: abroad, owner: "you" }, home, me),
    Reason.DESIGN_IN_OTHER_ORGANIZATION,
  ],
  [
    "nobody's design of another",
    () => assertDesignAssignable({ organizationId: abroad, owner: "" }, home, { kind: "user", userId: "" }),
    Reason.DESIGN_IN_OTHER_ORGANIZATION,
  ],
  [
    "a design of another, by a service",
    () => assertDesignAssignable({ organizationId: abroad, owner: "" }, home, system),
    undefined,
  ],
  [
    "a view of another",
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
