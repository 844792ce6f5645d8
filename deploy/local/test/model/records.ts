import { type Body, chosenId, chosenTime } from "./compare.ts";
import type { Environment, Item, Team, Workspace } from "./model.ts";

// The records as the API shows them (contract, section 3).

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

/** A record that was just created, by what the system chose for it. */
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

/** The record after an update. */
export const changed = <T extends Item>(item: T, received: Body, texts: Partial<Texts>): T => ({
  ...item,
  ...texts,
  updatedAt: chosenTime(received?.updatedAt, item.updatedAt),
});
