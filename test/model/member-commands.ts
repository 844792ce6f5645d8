import fc from "fast-check";
import { type Actor, type Model, ROLES, type Role } from "./model.ts";
import { holds, isLastOrgAdmin, isMember, isProviderAdmin, rolesOf } from "./permissions.ts";
import { memberBody } from "./records.ts";
import * as refusals from "./refusals.ts";
import { command, either, firstOf } from "./step.ts";
import { anyActor, anyMember, anyScope, NOWHERE, organizationOf } from "./targets.ts";

/** Returns their id, or an unknown one. */
const userIdOf = (model: Model, member: Actor | "nowhere"): string =>
  member === "nowhere" ? NOWHERE : model.people[member].id;

const anyRoles = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<readonly Role[]>(...ROLES.slice(0, 4).map((role) => [role])) },
  { weight: 3, arbitrary: fc.subarray([...ROLES]) },
);

const set = command(
  "set roles",
  fc.record({
    actor: anyActor,
    scope: anyScope,
    member: fc.oneof({ weight: 9, arbitrary: anyMember }, { weight: 1, arbitrary: fc.constant("nowhere" as const) }),
    roles: anyRoles,
  }),
  (model, { actor, scope, member, roles }) => {
    const organization = organizationOf(model, actor, scope === "missing" ? "nowhere" : scope);
    const before = member === "nowhere" ? [] : rolesOf(model, organization, member);
    const concernsProvider = before.includes("Provider Admin") !== roles.includes("Provider Admin");
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      roles.length === 0 && refusals.invalid("roleNames", "a list of at least one of " + ROLES.join(", ")),
      !isMember(model, actor, organization) && refusals.ORGANIZATION_NOT_FOUND,
      !holds(model, actor, organization, "Manage Organization") && refusals.denied("Manage Organization"),
      before.length === 0 && !isProviderAdmin(model, actor) && refusals.MEMBER_NOT_FOUND,
      member === "nowhere" && refusals.USER_NOT_FOUND,
      concernsProvider && !isProviderAdmin(model, actor) && refusals.denied("View All Organizations"),
      !roles.includes("Org Admin") && isLastOrgAdmin(model, organization, member) && refusals.LAST_ORG_ADMIN,
    );
    const userId = userIdOf(model, member);
    return {
      actor,
      method: "PUT",
      path: "/identity/organizations/" + organization + "/members/" + userId,
      body: { roleNames: [...roles].reverse() },
      expected: either(refusal, {
        status: 200,
        body: (received) => memberBody(received, organization, model.people[member as Actor], roles),
      }),
      learn: () => {
        if (refusal === undefined && member !== "nowhere") model.roles.get(organization)?.set(member, roles);
      },
    };
  },
);

const take = command(
  "remove member",
  fc.record({ actor: anyActor, scope: anyScope, member: anyMember }),
  (model, { actor, scope, member }) => {
    const organization = organizationOf(model, actor, scope === "missing" ? "nowhere" : scope);
    const before = rolesOf(model, organization, member);
    const isSelf = actor === member;
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      !isMember(model, actor, organization) && refusals.ORGANIZATION_NOT_FOUND,
      !isSelf && !holds(model, actor, organization, "Manage Organization") && refusals.denied("Manage Organization"),
      before.length === 0 && refusals.MEMBER_NOT_FOUND,
      before.includes("Provider Admin") &&
        !isSelf &&
        !isProviderAdmin(model, actor) &&
        refusals.denied("View All Organizations"),
      isLastOrgAdmin(model, organization, member) && refusals.LAST_ORG_ADMIN,
    );
    return {
      actor,
      method: "DELETE",
      path: "/identity/organizations/" + organization + "/members/" + userIdOf(model, member),
      expected: either(refusal, { status: 204 }),
      learn: () => {
        if (refusal === undefined) model.roles.get(organization)?.delete(member);
      },
    };
  },
);

export const memberCommands = [set, set, take];
