import type { Seen } from "./people.ts";
import { DECIDED_BY, type DecidedBy, PROMISED_METHODS } from "./promised-methods.ts";
import { CALLERS, type MatrixCaller, type Operation, ROLES, type Role } from "./promised-permissions.ts";

/** The observed status of each caller, by the operation's name. */
export type Matrix = ReadonlyMap<string, Readonly<Record<MatrixCaller, number>>>;

/** The fields that each caller saw of a user, by the way in which the caller looked. */
type SeenPeople = ReadonlyMap<string, Readonly<Record<MatrixCaller, Seen>>>;

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

Observed on a running system by [permissions.e2e.test.ts](../test/e2e/permissions/permissions.e2e.test.ts), which compares
each cell with the specification and the contract. After a change:
\`UPDATE_DOCS=1 npm test -- test/e2e/permissions\`.

## Operations

The REST status that each caller receives for a record of the organization in which they hold the role. The caller "of
another organization" is an Org Admin there. A Provider Admin receives the same status in organizations in which they
hold no role. UI-only means that clients hide the operation from users without the key; the server does not check it.
`;

const METHODS_INTRODUCTION = `
## RPCs

Every RPC of every service, with the key that its option \`permission\` declares and what determines the organization
according to its option \`scope\`. [method-permissions.e2e.test.ts](../test/e2e/permissions/method-permissions.e2e.test.ts)
calls each one with all keys but its own, with its own alone, and with the credential of each service. A service may
call, with its own credential, the RPCs that name it in their option \`callers\`, and no others. The operator's
credential is accepted for every RPC and holds every key; it alone may create a token for another user. The gateway
accepts no service credential.
`;

const PEOPLE_INTRODUCTION = `
## Who sees whom

What each caller receives of a user who has the role User in the organization. Members see each other, by name. The
email is shown to the user, to Org Admins of an organization that has the user as a member, and to Provider Admins; a
search finds no email that it does not show. A service's credential sees all. Users of other organizations do not exist
for the caller: an unknown id gets the same reply.
`;

const KEYS_INTRODUCTION = `
## Permission keys

The keys that each role holds by default. In an organization, a user holds the keys of all their roles in it; the role
Provider Admin applies to every organization.
`;

/** The observations that the page is rendered from. */
interface Observations {
  readonly operations: readonly Operation[];
  readonly matrix: Matrix;
  readonly seen: SeenPeople;
  readonly held: HeldKeys;
  readonly keys: readonly string[];
}

/** Renders the page: keys in the order given, then unexpected ones. */
export function renderPermissions({ operations, matrix, seen, held, keys }: Observations): string {
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
    PEOPLE_INTRODUCTION,
    table(
      ["Looked up by", ...CALLERS.map((caller) => TITLES[caller])],
      Array.from(seen, ([name, cells]) => [name, ...CALLERS.map((caller) => cells[caller])]),
    ),
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
