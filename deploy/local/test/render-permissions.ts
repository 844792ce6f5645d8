import { CALLERS, type MatrixCaller, type Operation, ROLES, type Role } from "./promised-permissions.ts";

/** What was seen: the status of each caller, by the operation's name. */
export type Matrix = ReadonlyMap<string, Readonly<Record<MatrixCaller, number>>>;

/** What each role was seen to hold in an organization. */
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

Seen on a running system by [permissions.e2e.test.ts](../deploy/local/test/permissions.e2e.test.ts), which holds each
cell to what the specification and the contract say. After a change:
\`UPDATE_DOCS=1 npm test -- deploy/local/test/permissions\`.

## Operations

The REST status that each caller gets on a target in an organization where the roles are held. "of another organization"
is an Org Admin of another one. A Provider Admin gets the same in organizations that gave them no role. UI-only means
that clients hide the operation from who has not the key; the server does not check it.
`;

const KEYS_INTRODUCTION = `
## Permission keys

Who holds a key by default. What a user may do in an organization is what any of their roles there may; a Provider
Admin's role counts in every organization.
`;

/** The page, from what was seen. Keys in the order given, then those that nobody expected. */
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
    KEYS_INTRODUCTION,
    table(["Permission key", ...ROLES.map((role) => TITLES[role])], holders),
    "",
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => "| " + cells.join(" | ") + " |";
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
