import { PROMISED_METHODS, type PromisedMethod, type ServiceName } from "./promised-methods.ts";

export const ROLES = ["user", "teamAdmin", "workspaceAdmin", "orgAdmin", "providerAdmin"] as const;
export type Role = (typeof ROLES)[number];

const ADMINS: readonly Role[] = ["workspaceAdmin", "orgAdmin", "providerAdmin"];
const ORG_ADMINS: readonly Role[] = ["orgAdmin", "providerAdmin"];
const ALL = "View All Organizations";

/** Specification, section 5, "Default holders by role"; from the views on, contract, section 5; the last five are ours. */
const HOLDERS: readonly (readonly [string, readonly Role[]])[] = [
  ["View Workspace, View Environment, View Connections", ROLES],
  ["Create Workspace, Edit Workspace, Delete Workspace", ADMINS],
  ["Assign team to workspace, Remove team from workspace", ADMINS],
  ["Assign environment to workspace, Remove environment from workspace", ADMINS],
  ["Assign Designs to Workspaces, Remove Designs from Workspaces", ADMINS],
  ["Create Environment, Edit Environment, Delete Environment", ADMINS],
  ["Assign connections to environment, Remove connections from environment", ADMINS],
  ["Assign Views to Workspace, Unassign Views from Workspace", ADMINS],
  [ALL, ["providerAdmin"]],
  ["Manage Connections", ADMINS],
  ["Manage Teams", ["teamAdmin", ...ORG_ADMINS]],
  ["Manage Organization, Manage Designs, Manage Views, Manage Curricula", ORG_ADMINS],
  ["Manage Users", ["providerAdmin"]],
  ["View Audit Log", ORG_ADMINS],
];

export const KEYS = HOLDERS.flatMap(([keys]) => keys.split(", "));
export const keysOf = (role: Role) =>
  HOLDERS.flatMap(([keys, roles]) => (roles.includes(role) ? keys.split(", ") : []));

/** The columns of docs/permissions.md. */
export const COLUMNS = ["anonymous", "revoked", "outsider", ...ROLES] as const;

export type Surface = "rest" | "rpc";

const [rest, rpc, both] = [["rest"], ["rpc"], ["rest", "rpc"]] as const;

/**
 * All callers, with the surfaces that they use; people.ts says who they are. The last ones have the role User while it
 * has other keys: all but the one that the operation needs, that one alone, and none, as the owner of the record. The
 * gateway passes tokens on, so what only the role decides is called once: by REST, or by RPC if the RPC has no path.
 */
export const CALLERS = {
  anonymous: rest,
  revoked: both,
  outsider: both,
  user: rest,
  teamAdmin: rest,
  workspaceAdmin: rest,
  orgAdmin: rest,
  providerAdmin: rest,
  twoRoles: rest,
  workspace: both,
  environment: both,
  identity: both,
  operator: both,
  allOtherKeys: rpc,
  oneKey: both,
  owner: rpc,
} as const;
export type Caller = keyof typeof CALLERS;

/** A row of the matrix: an RPC, or the same for all organizations, or with a search for an email. */
export interface Row extends PromisedMethod {
  /** `<package>.<service>/<method>`. */
  readonly rpc: string;
  /** The query that distinguishes it from another row of the RPC. */
  readonly variant: "" | "?orgId=all" | " of all" | "?search=<email>";
  /** The promise of the RPC, without the variant. */
  readonly promised: PromisedMethod;
}

export const ROWS: readonly Row[] = Object.entries(PROMISED_METHODS).flatMap(([service, methods]) =>
  Object.entries(methods).flatMap(([name, promised]) => {
    const row: Row = { ...promised, rpc: service + "/" + name, variant: "", promised };
    return [row, ...variantsOf(row)];
  }),
);

function variantsOf(row: Row): Row[] {
  const { decidedBy, searched } = row;
  if (searched) return [{ ...row, variant: "?search=<email>", request: searched, sees: "nothing" }];
  if (decidedBy === "recordOrAll") return [{ ...row, variant: " of all", request: {}, permission: ALL }];
  return isList(row) ? [{ ...row, variant: "?orgId=all", request: { orgId: "all" }, permission: ALL }] : [];
}

function isList({ decidedBy }: Row): boolean {
  return decidedBy === "list" || decidedBy === "listOrCurrent";
}

/** Returns all callers with the keys of the role User while they call. */
export function callersByKeys({ permission }: Row): (readonly [keys: readonly string[], callers: readonly Caller[]])[] {
  const others = (Object.keys(CALLERS) as Caller[]).slice(0, -3);
  return [
    [keysOf("user"), others],
    [KEYS.filter((key) => key !== permission), ["allOtherKeys"]],
    [permission === undefined ? [] : [permission], ["oneKey"]],
    [[], ["owner"]],
  ];
}

const NO_TOKEN = "401 a valid security token is required";
const denied = (permission: string) => '403 permission "' + permission + '" is required';

/**
 * Returns the outcome by the contract's order of checks (section 2): token (401), target (404), permission (403). A
 * success is the status of REST, also by RPC. Undefined if the row has no such case.
 */
export function promisedOutcome(row: Row, caller: Caller, surface: Surface): string | undefined {
  const { decidedBy, permission } = row;
  const isForServices = decidedBy === "service";
  const success = successOf(row, caller);
  switch (caller) {
    case "anonymous":
    case "revoked":
      return NO_TOKEN;
    case "workspace":
    case "environment":
    case "identity":
      return promisedToService(row, caller, surface, success);
    case "operator":
      return surface === "rest" ? NO_TOKEN : (row.toOperator ?? success);
    case "owner":
      return row.owned && success;
    case "allOtherKeys":
      if (permission === undefined && !isForServices) return undefined;
  }
  if (isForServices) return "403 a service credential is required";
  if (permission === ALL) return caller === "providerAdmin" ? success : denied(ALL);
  if (caller === "outsider") return promisedToOutsider(row, success);
  return permission === undefined || holds(caller, permission) ? success : denied(permission);
}

/** The services whose credentials each program has, besides the operator: the ones that call it. */
const ACCEPTED: Readonly<Record<string, readonly ServiceName[]>> = {
  workspace: ["identity"],
  cloud: ["identity"], // called at workspace
  environment: ["workspace"],
  identity: ["workspace", "environment"],
  academy: ["workspace", "environment"],
};

function promisedToService({ rpc, callers }: Row, name: ServiceName, surface: Surface, success: string) {
  const isAccepted = ACCEPTED[rpc.replace(/\..*/, "")]?.includes(name);
  if (surface === "rest") return isAccepted ? NO_TOKEN : undefined; // no gateway makes a wrong credential right
  if (!isAccepted) return NO_TOKEN;
  return callers?.includes(name) ? success : "403 the service " + name + " may not call this operation";
}

/** The contract, section 2: listing or creating elsewhere needs a key (403); other records do not exist there (404). */
function promisedToOutsider(row: Row, success: string): string {
  const { decidedBy, permission = "", notFound, request } = row;
  if (isList(row)) return denied(ALL);
  if (decidedBy === "creation" || decidedBy === "anyOrganization") return denied(permission);
  if (decidedBy === "caller" && notFound === undefined) return success;
  const [, record = ""] = /\$(?:fresh|member)?([a-z]+)/i.exec(JSON.stringify(request)) ?? [];
  return "404 " + (notFound ?? record.toLowerCase() + " not found");
}

function holds(caller: Caller, key: string): boolean {
  const role = caller === "twoRoles" ? "workspaceAdmin" : ROLES.find((name) => name === caller);
  return caller === "oneKey" || (role !== undefined && keysOf(role).includes(key));
}

/** The status with the part of a person that the caller sees by the contract, section 5. */
function successOf({ rpc, sees }: Row, caller: Caller): string {
  if (sees === undefined) return String(statusOf(rpc));
  const seesEmail = caller === "orgAdmin" || caller === "providerAdmin" || caller === "operator";
  return statusOf(rpc) + ", " + (seesEmail ? "name and email" : sees);
}

/** Returns the status of a success by the contract, section 1. */
export function statusOf(rpc: string): number {
  if (/\/Create/.test(rpc)) return 201;
  return /\/(Delete|Remove|Revoke)/.test(rpc) ? 204 : 200;
}
