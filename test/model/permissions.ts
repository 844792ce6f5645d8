import type { Actor, Model, Role } from "./model.ts";

// Section 5 of the specification, "Default holders by role", written independently of the product.
const MANAGERS: readonly Role[] = ["Workspace Admin", "Org Admin", "Provider Admin"];
const HOLDERS = {
  "Create Workspace": MANAGERS,
  "Edit Workspace": MANAGERS,
  "Delete Workspace": MANAGERS,
  "Assign team to workspace": MANAGERS,
  "Remove team from workspace": MANAGERS,
  "Assign environment to workspace": MANAGERS,
  "Remove environment from workspace": MANAGERS,
  "Create Environment": MANAGERS,
  "Edit Environment": MANAGERS,
  "Delete Environment": MANAGERS,
  "Manage Teams": ["Team Admin", "Org Admin", "Provider Admin"],
  "Manage Organization": ["Org Admin", "Provider Admin"],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof HOLDERS;

export const rolesOf = (model: Model, organization: string, actor: Actor): readonly Role[] =>
  model.roles.get(organization)?.get(actor) ?? [];

/** The providerAdmin holds that role in an organization outside the model. */
export const isProviderAdmin = (model: Model, actor: Actor): boolean =>
  actor === "providerAdmin" ||
  model.organizations.some((organization) => rolesOf(model, organization, actor).includes("Provider Admin"));

/** The Provider Admins of the model are never the last: the demo's is outside it. */
export function isLastOrgAdmin(model: Model, organization: string, member: Actor | "nowhere"): boolean {
  const members = [...(model.roles.get(organization) ?? [])];
  const admins = members.filter(([, roles]) => roles.includes("Org Admin")).map(([actor]) => actor);
  return admins.length === 1 && admins[0] === member;
}

/** Provider Admins are members of every existing organization. */
export const isMember = (model: Model, actor: Actor, organization: string): boolean =>
  rolesOf(model, organization, actor).length > 0 ||
  (isProviderAdmin(model, actor) && model.organizations.includes(organization));

export function holds(model: Model, actor: Actor, organization: string, permission: Permission): boolean {
  const holders: readonly Role[] = HOLDERS[permission];
  return isProviderAdmin(model, actor) || rolesOf(model, organization, actor).some((role) => holders.includes(role));
}
