import type { Environment, Item, Person, Role, Team, Workspace } from "./model.ts";
import { type Body, chosenId, chosenTag, chosenTime } from "./step.ts";

// Records as the API returns them (contract, section 3).

export const workspaceBody = (one: Workspace) => ({ ...common(one), owner: one.owner, metadata: {} });
export const teamBody = (one: Team) => ({ ...common(one), owner: one.owner });
export const environmentBody = (one: Environment) => ({
  ...common(one),
  platformProvisioned: one.platformProvisioned,
  metadata: {},
});

/** Returns a member's record as a caller who sees emails receives it. */
export function memberBody(received: Body, organizationId: string, { id, profile }: Person, roles: readonly Role[]) {
  const createdAt = chosenTime(received?.createdAt);
  const updatedAt = chosenTime(received?.updatedAt, createdAt);
  return { id, userId: id, organizationId, roleNames: roles, ...profile, createdAt, updatedAt };
}

function common({ id, name, description, organizationId, createdAt, updatedAt, etag }: Item) {
  return { id, name, description, organizationId, createdAt, updatedAt, deletedAt: null, etag };
}

interface Texts {
  readonly name: string;
  readonly description: string;
}

/** Returns a new record, with the values that the system chose for it. */
export function newItem(received: Body, organizationId: string, { name, description }: Texts): Item {
  const createdAt = chosenTime(received?.createdAt);
  return {
    id: chosenId(received?.id),
    organizationId,
    name,
    description,
    createdAt,
    updatedAt: createdAt,
    etag: chosenTag(received?.etag),
    deleted: false,
  };
}

/** Returns the record after an update. */
export const changed = <T extends Item>(item: T, received: Body, texts: Partial<Texts>): T => ({
  ...item,
  ...texts,
  updatedAt: chosenTime(received?.updatedAt, item.updatedAt),
  etag: chosenTag(received?.etag, item.etag),
});
