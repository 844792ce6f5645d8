import { SERVICES } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";
import { type Ledger, type LedgerRecord, linkKey, type RecordKind } from "./ledger.ts";

/** Differences between the databases and the ledger; each list should be empty. */
export interface Findings {
  /** Confirmed changes that do not read back. */
  readonly lost: string[];
  /** Owed effects that did not happen. */
  readonly missing: string[];
  /** Effects that happened twice. */
  readonly doubled: string[];
  /** Effects of changes that did not happen. */
  readonly unowed: string[];
  /** Each parked message, with its reason: kills alone must not park any. */
  readonly parked: readonly string[];
  /** Number of owed effects. */
  readonly owed: number;
}

/** The findings of a correct run; `owed` shows whether the run was large enough. */
export const nothingFound: Omit<Findings, "owed"> = { lost: [], missing: [], doubled: [], unowed: [], parked: [] };

interface Facts {
  /** The records by id: the name, and whether it is deleted. */
  readonly records: ReadonlyMap<string, { name: string; deleted: boolean }>;
  readonly links: ReadonlySet<string>;
  /** The lines in the log, by link, that report its end because the resource was deleted. */
  readonly ended: ReadonlyMap<string, number>;
  /** The live workspaces that provisioning created, by organization. */
  readonly provisioned: ReadonlyMap<string, number>;
  /** Workspaces selected by any user. */
  readonly selected: ReadonlySet<string>;
  readonly parked: readonly string[];
}

/** Compares the databases with the ledger, once everything is drained. */
export async function compareWithLedger(databases: SystemDatabases, ledger: Ledger): Promise<Findings> {
  const facts = await readFacts(databases);
  const { parked } = facts;
  const findings: Findings & { owed: number } = { lost: [], missing: [], doubled: [], unowed: [], parked, owed: 0 };
  const isDeleted = (id: string) => facts.records.get(id)?.deleted === true;
  const owe = (what: string, happened: number, min: number, max: number) => {
    findings.owed += min;
    if (happened < min) findings.missing.push(what);
    else if (happened > max) (max === 0 ? findings.unowed : findings.doubled).push(what);
  };

  for (const record of ledger.records.values()) {
    const found = facts.records.get(record.id);
    const endedWithOrganization = isDeleted(record.organization);
    if (found?.name !== record.name) findings.lost.push("creation of " + describe(record));
    if (record.state === "deleted" && !isDeleted(record.id)) findings.lost.push("deletion of " + describe(record));
    if (endedWithOrganization) owe("end of " + describe(record), isDeleted(record.id) ? 1 : 0, 1, 1);
    else if (record.state === "live" && isDeleted(record.id)) findings.unowed.push("end of " + describe(record));
    if (record.kind === "organization" && found !== undefined) {
      const expected = found.deleted ? 0 : 1;
      owe("My Workspace of " + describe(record), facts.provisioned.get(record.id) ?? 0, expected, expected);
    }
  }
  for (const [key, link] of ledger.links) {
    const lines = facts.ended.get(key) ?? 0;
    const inDeletedOrganization = isDeleted(ledger.records.get(link.workspace)?.organization ?? "");
    const deleted = isDeleted(link.resource);
    // If their organization is deleted, the order in which both ends are deleted is undefined: the log may contain the
    // line or not.
    const certain = link.state !== "unknown" && !inDeletedOrganization;
    const owedLines = deleted && link.state === "linked" ? 1 : 0;
    owe("line of the end of " + key, lines, certain ? owedLines : 0, certain ? owedLines : 1);
    const there = facts.links.has(key);
    if (link.state === "unlinked" && there) findings.lost.push("removal " + key);
    else if (deleted || inDeletedOrganization) owe("end of " + key, there ? 0 : 1, 1, 1);
    else if (link.state === "linked" && !there) findings.lost.push("assignment " + key);
  }
  for (const workspace of ledger.selections) {
    if (isDeleted(workspace)) owe("end of the selection of " + workspace, facts.selected.has(workspace) ? 0 : 1, 1, 1);
  }
  return findings;
}

const describe = ({ kind, name, id }: LedgerRecord) => kind + " " + name + " " + id;

async function readFacts({ query }: SystemDatabases): Promise<Facts> {
  const records = new Map<string, { name: string; deleted: boolean }>();
  for (const kind of Object.keys(SELECT_RECORDS) as RecordKind[]) {
    for (const { id, name, deleted } of await query<{ id: string; name: string; deleted: boolean }>(
      SELECT_RECORDS[kind],
    )) {
      records.set(id, { name, deleted });
    }
  }
  const links = await query<Pair>("select workspace_id, kind, resource_id from workspace.assignments");
  const ended = await query<Pair & { lines: number }>(
    "select workspace_id, acted_upon_kind as kind, acted_upon as resource_id, count(*)::integer as lines" +
      " from workspace.activity_events where action = 'unassign' and metadata->>'reason' = 'deleted' group by 1, 2, 3",
  );
  const provisioned = await query<{ id: string; workspaces: number }>(
    "select organization_id as id, count(*)::integer as workspaces from workspace.workspaces" +
      " where name = 'My Workspace' and deleted_at is null group by 1",
  );
  const selected = await query<{ id: string }>(
    "select selected_workspace as id from identity.preferences where selected_workspace is not null",
  );
  const parked = await query<{ message: string }>(selectParked);
  return {
    parked: parked.map(({ message }) => message),
    records,
    links: new Set(links.map(keyOf)),
    ended: new Map(ended.map((row) => [keyOf(row), row.lines])),
    provisioned: new Map(provisioned.map(({ id, workspaces }) => [id, workspaces])),
    selected: new Set(selected.map((row) => row.id)),
  };
}

interface Pair {
  workspace_id: string;
  kind: string;
  resource_id: string;
}

const keyOf = ({ workspace_id, kind, resource_id }: Pair) => linkKey(workspace_id, kind, resource_id);

const selectParked = SERVICES.map(
  (schema) =>
    `select concat_ws(' ', consumer, subject, event_id, reason, tries, error) as message from ${schema}.parked_messages`,
).join(" union all ");

const SELECT_RECORDS: Readonly<Record<RecordKind, string>> = {
  environment: "select id, name, deleted_at is not null as deleted from environment.environments",
  team: "select id, name, deleted_at is not null as deleted from identity.teams",
  workspace: "select id, name, deleted_at is not null as deleted from workspace.workspaces",
  organization: "select id, name, deleted_at is not null as deleted from identity.organizations",
};

/** Returns the figures of a run for its report. */
export function ledgerFigures(ledger: Ledger, { lost, missing, doubled, unowed, parked, owed }: Findings) {
  return {
    confirmed: ledger.confirmed(),
    unknown: ledger.unknown(),
    wrong: ledger.wrong.length,
    effectsOwed: owed,
    changesLost: lost.length,
    effectsMissing: missing.length,
    effectsDoubled: doubled.length,
    effectsUnowed: unowed.length,
    messagesParked: parked.length,
  };
}
