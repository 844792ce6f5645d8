// What the system should hold: two organizations and what is in them, in plain objects. The commands of a sequence
// predict each answer from it and change it as the answer says.

export const ROLES = ["User", "Team Admin", "Workspace Admin", "Org Admin", "Provider Admin"] as const;
export type Role = (typeof ROLES)[number];

export const ACTORS = [
  "orgAdmin",
  "workspaceAdmin",
  "teamAdmin",
  "user",
  "outsider",
  "providerAdmin",
  "nobody",
] as const;
export type Actor = (typeof ACTORS)[number];

/** What is common to workspaces, environments and teams. A deleted one stays, to be asked for again. */
export interface Item {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  description: string;
  readonly createdAt: string;
  updatedAt: string;
  deleted: boolean;
}

export interface Environment extends Item {
  readonly platformProvisioned: boolean;
}

export interface Team extends Item {
  readonly owner: string;
}

export interface Workspace extends Item {
  readonly owner: string;
  readonly links: Link[];
  readonly log: Line[];
}

export type LinkKind = "team" | "environment";

export interface Link {
  readonly kind: LinkKind;
  readonly resourceId: string;
  readonly id: string;
  readonly createdAt: string;
  /** Set when the resource was deleted: who deleted it. The link shows nowhere any more; its end comes by event. */
  endedBy: string | undefined;
}

/** A line of an activity log, without what the system chooses: id, time and sentence. */
export interface Line {
  readonly action: "create" | "update" | "delete" | "assign" | "unassign";
  readonly severity: "success" | "error";
  readonly actedUpon: string;
  readonly actedUponKind: "workspace" | LinkKind;
  readonly owner: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** A line that comes by event takes its place in the log when it comes, and may not come to a deleted workspace. */
  readonly comes?: "by event" | "perhaps";
}

export interface Person {
  /** Empty for nobody. */
  readonly id: string;
  readonly token: string;
}

/** The rules that a control turns off, to see that the test notices. */
export interface Rules {
  readonly floor: boolean;
  readonly removalEndsLink: boolean;
}

export const RULES: Rules = { floor: true, removalEndsLink: true };

export interface Model {
  readonly rules: Rules;
  readonly people: Readonly<Record<Actor, Person>>;
  /** The home of all but the outsider, and the outsider's. */
  readonly organizations: readonly [string, string];
  /** In every record's name or description that a command writes: finds them among all organizations' records. */
  readonly tag: string;
  /** Roles by organization and actor; no entry, no member. */
  readonly roles: Map<string, Map<Actor, readonly Role[]>>;
  readonly workspaces: Workspace[];
  readonly environments: Environment[];
  readonly teams: Team[];
}

export const live = <T extends Item>(items: readonly T[], organizationId: string): T[] =>
  items.filter((item) => !item.deleted && item.organizationId === organizationId);

export const find = <T extends Item>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => !item.deleted && item.id === id);

/** Every link of a deleted resource is on its way out. */
export function endLinksOf(model: Model, kind: LinkKind, resourceId: string, endedBy: string): void {
  for (const { links } of model.workspaces) {
    for (const link of links) {
      if (link.kind === kind && link.resourceId === resourceId) link.endedBy = endedBy;
    }
  }
}
