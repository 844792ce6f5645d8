import type { HttpRule } from "@cloud/proto/google/api/http_pb";
import { DECIDED_BY } from "./promised-methods.ts";
import { COLUMNS, KEYS, ROLES, type Role, type Row } from "./promised-outcomes.ts";
import type { ServedMethod } from "./served-methods.ts";

const TITLES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
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

Observed on a running system by [permissions.e2e.test.ts](../test/e2e/permissions/permissions.e2e.test.ts), which calls
every RPC of every service by REST and by RPC, as each caller, and compares each cell with the specification and the
contract. After a change: \`UPDATE_DOCS=1 npm test -- test/e2e/permissions\`.

## Operations

The REST status that each caller receives for a record of the organization in which they hold the role. The caller "of
another organization" is an Org Admin there. The Provider Admin holds no role in the organization of the record, and
receives the same status where they do. UI-only means that clients hide the operation from users without the key; the
server does not check it. The key is what the option \`permission\` of the RPC declares, and the option \`scope\`
declares what determines the organization. Each RPC is also called with all keys but its own, and with its own alone.

A service may call, with its own credential, the RPCs that name it in their option \`callers\`, and no others. The
operator's credential is accepted for every RPC and holds every key; it alone may create a token for another user. The
gateway accepts no service credential.

After the status of a success follows what the caller sees of a user: of themselves in the profile, else of one who has
the role User in the organization. Members see each other, by name. The email is shown to the user, to Org Admins of an
organization that has the user as a member, and to Provider Admins; a search finds no email that it does not show. A
service's credential sees all. Users of other organizations do not exist for the caller: an unknown id gets the same
reply.
`;

const KEYS_INTRODUCTION = `
## Permission keys

The keys that each role holds by default. In an organization, a user holds the keys of all their roles in it; the role
Provider Admin applies to every organization.
`;

/** The observations: the outcomes of a row by caller and surface, and the keys that each role was seen to hold. */
interface Observations {
  readonly outcomes: ReadonlyMap<Row, Readonly<Record<string, string>>>;
  readonly held: ReadonlyMap<Role, readonly string[]>;
  readonly methods: ReadonlyMap<string, ServedMethod>;
}

export function renderPermissions({ outcomes, held, methods }: Observations): string {
  const rows = Array.from(outcomes, ([row, seen]) => [
    ...describe(row, methods.get(row.rpc)?.rule),
    ...COLUMNS.map((caller) => cell(seen[caller + " by rest"] ?? seen[caller + " by rpc"] ?? "")),
  ]);
  const holders = KEYS.map((key) => [key, ...ROLES.map((role) => (held.get(role)?.includes(key) ? "yes" : ""))]);
  return [
    INTRODUCTION,
    table(["RPC", "Operation", "Permission key", "Determined by", ...COLUMNS.map((caller) => TITLES[caller])], rows),
    KEYS_INTRODUCTION,
    table(["Permission key", ...ROLES.map((role) => TITLES[role])], holders),
    "",
  ].join("\n");
}

function describe({ rpc, variant, permission, uiOnly, decidedBy, callers }: Row, rule?: HttpRule): string[] {
  const { case: method = "", value: path } = rule?.pattern ?? {};
  const operation = method === "" ? "" : "`" + method.toUpperCase() + " " + path + "`";
  const none = /^(record|list|listOrCurrent)$/.test(decidedBy) ? "none (members only)" : "none";
  const key = permission ?? (uiOnly === undefined ? none : "UI-only (" + uiOnly + ")");
  const services = callers === undefined ? "" : ": " + [...callers, "the operator"].join(", ");
  return ["`" + rpc + variant + "`", operation, key, DECIDED_BY[decidedBy] + services];
}

/** Cuts off the text of an error. */
const cell = (outcome: string) => (/^[45]/.test(outcome) ? outcome.slice(0, 3) : outcome);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => "| " + cells.join(" | ") + " |";
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
