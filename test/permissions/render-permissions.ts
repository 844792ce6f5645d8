import { DECIDED_BY, type DecidedBy, PROMISED_METHODS } from "./promised-methods.ts";
import { CALLERS, type MatrixCaller, type Operation, ROLES, type Role } from "./promised-permissions.ts";

/** The observed status of each caller, by the operation's name. */
export type Matrix = ReadonlyMap<string, Readonly<Record<MatrixCaller, number>>>;

/** The keys that each role was observed to hold in an organization. */
export type HeldKeys = Readonly<Record<Role, readonly string[]>>;

const TITLES: Readonly<Record<MatrixCaller, string>> = {
  anonymous: "no token",
  revoked: "revoked token",
  outsider: "of another organization",
  user: "User",
  teamAdmin: "Team Admin",
  workspaceAdmin: "Workspace Admin",
  orgAdmin: "Org Admin",
  providerAdmin: "Provider Admin",
};

const INTRODUCTION = `# Permissions

Observed on a running system by [permissions.e2e.test.ts](../test/permissions/permissions.e2e.test.ts), which compares
each cell with the specification and the contract. After a change:
\`UPDATE_DOCS=1 npm test -- test/permissions\`.

## Operations

The REST status that each caller receives for a record of the organization in which they hold the role. The caller "of
another organization" is an Org Admin there. A Provider Admin receives the same status in organizations in which they
hold no role. UI-only means that clients hide the operation from users without the key; the server does not check it.
`;

const METHODS_INTRODUCTION = `
## RPCs

Every RPC of every service, with the key that its option \`permission\` declares and what determines the organization
according to its option \`scope\`. [method-permissions.e2e.test.ts](../test/permissions/method-permissions.e2e.test.ts)
calls each one with all keys but its own, with its own alone, and with the credential of each service. A service may
call, with its own credential, the RPCs that name it in their option \`callers\`, and no others. The operator's
credential is accepted for every RPC and holds every key; it alone may create a token for another user. The gateway
accepts no service credential.
`;

const KEYS_INTRODUCTION = `
## Permission keys

The keys that each role holds by default. In an organization, a user holds the keys of all their roles in it; the role
Provider Admin applies to every organization.
`;

/** Renders the page from the observations: keys in the order given, then unexpected ones. */
export function renderPermissions(operations: readonly Operation[], matrix: Matrix, held: HeldKeys, keys: string[]) {
  const rows = operations.map(({ name, permission, note }) => [
    "`" + name + "`",
    permission ?? note ?? "none",
    ...CALLERS.map((caller) => String(matrix.get(name)?.[caller] ?? "")),
  ]);
  const names = [...new Set([...keys, ...ROLES.flatMap((role) => held[role])])];
  const holders = names.map((key) => [key, ...ROLES.map((role) => (held[role].includes(key) ? "yes" : ""))]);
  return [
    INTRODUCTION,
    table(["Operation", "Permission key", ...CALLERS.map((caller) => TITLES[caller])], rows),
    METHODS_INTRODUCTION,
    table(["RPC", "Permission key", "Determined by", "Callers"], methodRows()),
    KEYS_INTRODUCTION,
    table(["Permission key", ...ROLES.map((role) => TITLES[role])], holders),
    "",
  ].join("\n");
}

const NEEDS_MEMBERSHIP: readonly DecidedBy[] = ["record", "list", "listOrCurrent"];

function methodRows(): string[][] {
  return Object.entries(PROMISED_METHODS).flatMap(([service, methods]) =>
    Object.entries(methods).map(([method, { permission, decidedBy, callers }]) => [
      "`" + service + "/" + method + "`",
      permission ?? (NEEDS_MEMBERSHIP.includes(decidedBy) ? "none (members only)" : "none"),
      DECIDED_BY[decidedBy],
      callers === undefined ? "users, the operator" : [...callers, "the operator"].join(", "),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => "| " + cells.join(" | ") + " |";
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
