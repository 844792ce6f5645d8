import { type Body, chosenId, chosenTime } from "./compare.ts";
import type { Environment, Item, Team, Workspace } from "./model.ts";

// Records as the API returns them (contract, section 3).

export const workspaceBody = (one: Workspace) => ({ ...common(one), owner: one.owner, metadata: {} });
export const teamBody = (one: Team) => ({ ...common(one), owner: one.owner });
export const environmentBody = (one: Environment) => ({
  ...common(one),
  platformProvisioned: one.platformProvisioned,
  metadata: {},
});

function common({ id, name, description, organizationId, createdAt, updatedAt }: Item) {
  return { id, name, description, organizationId, createdAt, updatedAt, deletedAt: null };
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
    deleted: false,
  };
}

/** Returns the record after an update. */
export const changed = <T extends Item>(item: T, received: Body, texts: Partial<Texts>): T => ({
  ...item,
  ...texts,
  updatedAt: chosenTime(received?.updatedAt, item.updatedAt),
});
