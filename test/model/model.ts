import type { User } from "@cloud/proto/identity/v1/records_pb";

// The expected content of the system: two organizations and their records, as plain objects. The commands of a sequence
// predict each response from it and update it from the response.

export const ROLES = ["User", "Team Admin", "Workspace Admin", "Org Admin", "Provider Admin"] as const;
export type Role = (typeof ROLES)[number];

export const ACTORS = [
  "orgAdmin",
  "workspaceAdmin",
  "teamAdmin",
  "user",
  "outsider",
  "providerAdmin",
  "anonymous",
] as const;
export type Actor = (typeof ACTORS)[number];

/** Fields common to workspaces, environments and teams. Deleted ones are kept, to be requested again. */
export interface Item {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  description: string;
  readonly createdAt: string;
  updatedAt: string;
  etag: string;
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
  /** Set when the resource was deleted: the user who deleted it. The link is no longer visible; an event deletes it. */
  endedBy: string | undefined;
}

/** A line of an activity log, without the fields that the system chooses: id, time and sentence. */
export interface Line {
  readonly action: "create" | "update" | "delete" | "assign" | "unassign";
  readonly severity: "success" | "error";
  readonly actedUpon: string;
  readonly actedUponKind: "workspace" | LinkKind;
  readonly owner: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** A line written by an event appears in the log when the event arrives, and may never reach a deleted workspace. */
  readonly comes?: "by event" | "perhaps";
}

export interface Person {
  /** Empty without a user. */
  readonly id: string;
  readonly token: string;
  /** The fields of the user that the record of a member contains. */
  readonly profile: Pick<User, "email" | "firstName" | "lastName" | "avatarUrl" | "status">;
}

/** The rules that a control disables, to show that the test detects it. */
export interface Rules {
  readonly keepsLastWorkspace: boolean;
  readonly removalEndsLink: boolean;
}

export const RULES: Rules = { keepsLastWorkspace: true, removalEndsLink: true };

export interface Model {
  readonly rules: Rules;
  readonly people: Readonly<Record<Actor, Person>>;
  /** The home of all users except the outsider, and the outsider's. */
  readonly organizations: readonly [string, string];
  /** Part of every name or description that a command writes: finds the records among all organizations. */
  readonly tag: string;
  /** Roles by organization and actor; without an entry, no member. */
  readonly roles: Map<string, Map<Actor, readonly Role[]>>;
  readonly workspaces: Workspace[];
  readonly environments: Environment[];
  readonly teams: Team[];
}

export const live = <T extends Item>(items: readonly T[], organizationId: string): T[] =>
  items.filter((item) => !item.deleted && item.organizationId === organizationId);

export const find = <T extends Item>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => !item.deleted && item.id === id);

/** Marks every link of a deleted resource as ending. */
export function endLinksOf(model: Model, kind: LinkKind, resourceId: string, endedBy: string): void {
  for (const { links } of model.workspaces) {
    for (const link of links) {
      if (link.kind === kind && link.resourceId === resourceId) link.endedBy = endedBy;
    }
  }
}
