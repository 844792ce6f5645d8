/**
 * Who may do what, written by hand from the specification (section 5) and the contract (sections 2 and 5): none of it
 * is read from the product, so that a wrong product fails, not only a changed page.
 */

export const ROLES = ["user", "teamAdmin", "workspaceAdmin", "orgAdmin", "providerAdmin"] as const;
export type Role = (typeof ROLES)[number];

/** The outsider is a member of another organization only. */
export const CALLERS = ["anonymous", "revoked", "outsider", ...ROLES] as const;
export type MatrixCaller = (typeof CALLERS)[number];

export interface Operation {
  /** The operation as section 4 of the specification writes it; `?` and the rest is the query that it is tried with. */
  readonly name: string;
  /** The key that is checked; absent if none is. */
  readonly permission?: string;
  /** The text of the page if no key is checked. */
  readonly note?: string;
  readonly success: 200 | 201 | 204;
  /** The status for a member of other organizations only. */
  readonly outsider: 200 | 403 | 404;
}

const EVERYONE: readonly Role[] = ROLES;
const ADMINS: readonly Role[] = ["workspaceAdmin", "orgAdmin", "providerAdmin"];
const PROVIDER: readonly Role[] = ["providerAdmin"];

/** Specification, section 5, "Default holders by role"; the last three rows are of the contract, section 5. */
export const HOLDERS: Readonly<Record<string, readonly Role[]>> = {
  "View Workspace": EVERYONE,
  "View Environment": EVERYONE,
  "View Connections": EVERYONE,
  "Create Workspace": ADMINS,
  "Edit Workspace": ADMINS,
  "Delete Workspace": ADMINS,
  "Assign team to workspace": ADMINS,
  "Remove team from workspace": ADMINS,
  "Assign environment to workspace": ADMINS,
  "Remove environment from workspace": ADMINS,
  "Assign Designs to Workspaces": ADMINS,
  "Remove Designs from Workspaces": ADMINS,
  "Create Environment": ADMINS,
  "Edit Environment": ADMINS,
  "Delete Environment": ADMINS,
  "Assign connections to environment": ADMINS,
  "Remove connections from environment": ADMINS,
  "Assign Views to Workspace": ADMINS,
  "Unassign Views from Workspace": ADMINS,
  "View All Organizations": PROVIDER,
};

/** Keys that neither document names, for operations outside the specification. */
export const OWN_HOLDERS: Readonly<Record<string, readonly Role[]>> = {
  "Manage Connections": ADMINS,
  "Manage Teams": ["teamAdmin", "orgAdmin", "providerAdmin"],
  "Manage Organization": ["orgAdmin", "providerAdmin"],
  "Manage Designs": ["orgAdmin", "providerAdmin"],
  "Manage Views": ["orgAdmin", "providerAdmin"],
  "Manage Curricula": ["orgAdmin", "providerAdmin"],
  "Manage Users": PROVIDER,
  "View Audit Log": ["orgAdmin", "providerAdmin"],
};

const create = (name: string, permission: string): Operation => ({ name, permission, success: 201, outsider: 403 });
const list = (name: string, note: string): Operation => ({ name, note, success: 200, outsider: 403 });
const change = (name: string, permission: string): Operation => ({ name, permission, success: 200, outsider: 404 });
const remove = (name: string, permission: string): Operation => ({ name, permission, success: 204, outsider: 404 });
const read = (name: string, by: Pick<Operation, "permission" | "note">): Operation => ({
  name,
  ...by,
  success: 200,
  outsider: 404,
});

/** The 29 operations of section 4, with the permission of section 5. */
export const OPERATIONS: readonly Operation[] = [
  create("POST /workspaces", "Create Workspace"),
  list("GET /workspaces", "UI-only (View Workspace)"),
  read("GET /workspaces/{id}", { note: "UI-only (View Workspace)" }),
  change("PUT /workspaces/{id}", "Edit Workspace"),
  remove("DELETE /workspaces/{id}", "Delete Workspace"),
  change("POST /workspaces/{id}/teams/{teamId}", "Assign team to workspace"),
  remove("DELETE /workspaces/{id}/teams/{teamId}", "Remove team from workspace"),
  change("POST /workspaces/{id}/environments/{environmentId}", "Assign environment to workspace"),
  remove("DELETE /workspaces/{id}/environments/{environmentId}", "Remove environment from workspace"),
  change("POST /workspaces/{id}/designs/{designId}", "Assign Designs to Workspaces"),
  remove("DELETE /workspaces/{id}/designs/{designId}", "Remove Designs from Workspaces"),
  change("POST /workspaces/{id}/views/{viewId}", "Assign Views to Workspace"),
  remove("DELETE /workspaces/{id}/views/{viewId}", "Unassign Views from Workspace"),
  read("GET /workspaces/{id}/teams", { note: "none" }),
  read("GET /workspaces/{id}/environments", { note: "none" }),
  read("GET /workspaces/{id}/designs", { note: "none" }),
  read("GET /workspaces/{id}/views", { permission: "View Workspace" }),
  read("GET /workspaces/{id}/events", { permission: "View Workspace" }),
  create("POST /environments", "Create Environment"),
  list("GET /environments", "UI-only (View Environment)"),
  read("GET /environments/{id}", { note: "UI-only (View Environment)" }),
  change("PUT /environments/{id}", "Edit Environment"),
  remove("DELETE /environments/{id}", "Delete Environment"),
  change("POST /environments/{id}/connections/{connectionId}", "Assign connections to environment"),
  remove("DELETE /environments/{id}/connections/{connectionId}", "Remove connections from environment"),
  read("GET /environments/{id}/connections", { permission: "View Environment" }),
  { name: "GET /identity/users/profile", note: "none", success: 200, outsider: 200 },
  { name: "PUT /identity/users/preferences", note: "none", success: 200, outsider: 404 },
  { name: "GET /academy/cirricula", note: "none", success: 200, outsider: 200 },
];

const all = (name: string): Operation => ({ name, permission: "View All Organizations", success: 200, outsider: 403 });

/** The two lists again, for every organization. */
export const ALL_ORGANIZATIONS = [all("GET /workspaces?orgId=all"), all("GET /environments?orgId=all")];

/** Returns the status by the contract's order of checks (section 2): token (401), target (404), permission (403). */
export function promisedStatus({ permission, success, outsider }: Operation, caller: MatrixCaller): number {
  switch (caller) {
    case "anonymous":
    case "revoked":
      return 401;
    case "outsider":
      return outsider;
    default:
      return permission === undefined || HOLDERS[permission]?.includes(caller) ? success : 403;
  }
}
