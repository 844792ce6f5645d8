import type { Behind } from "../system/look-behind.ts";
import { SERVICES } from "../system/start-system.ts";
import { type Ledger, type LedgerRecord, linkKey, type RecordKind } from "./ledger.ts";

/** What the databases say against the ledger; each list should be empty. */
export interface Findings {
  /** Confirmed changes that do not read back. */
  readonly lost: string[];
  /** Effects that are owed and did not happen. */
  readonly missing: string[];
  /** Effects that happened twice. */
  readonly doubled: string[];
  /** Effects of what did not happen. */
  readonly unowed: string[];
  /** Messages that were parked: kills alone must not lead to that. */
  readonly parked: number;
  /** How many effects were owed. */
  readonly owed: number;
}

/** Of a run where all is well; `owed` says that it was asked for enough. */
export const nothingFound: Omit<Findings, "owed"> = { lost: [], missing: [], doubled: [], unowed: [], parked: 0 };

interface Facts {
  /** By id: the name, and whether it is deleted. */
  readonly records: ReadonlyMap<string, { name: string; gone: boolean }>;
  readonly links: ReadonlySet<string>;
  /** By link: lines in the log that tell that it ended because the resource was deleted. */
  readonly ended: ReadonlyMap<string, number>;
  /** By organization: live workspaces that it was given at its creation. */
  readonly welcomed: ReadonlyMap<string, number>;
  /** Workspaces that somebody has selected. */
  readonly selected: ReadonlySet<string>;
  readonly parked: number;
}

/** To be asked once everything is drained. */
export async function compareWithLedger(behind: Behind, ledger: Ledger): Promise<Findings> {
  const facts = await readFacts(behind);
  const { parked } = facts;
  const findings: Findings & { owed: number } = { lost: [], missing: [], doubled: [], unowed: [], parked, owed: 0 };
  const isGone = (id: string) => facts.records.get(id)?.gone === true;
  const owe = (what: string, happened: number, least: number, most: number) => {
    findings.owed += least;
    if (happened < least) findings.missing.push(what);
    else if (happened > most) (most === 0 ? findings.unowed : findings.doubled).push(what);
  };

  for (const record of ledger.records.values()) {
    const found = facts.records.get(record.id);
    const endedWithOrganization = isGone(record.organization);
    if (found?.name !== record.name) findings.lost.push("creation of " + told(record));
    if (record.state === "gone" && !isGone(record.id)) findings.lost.push("deletion of " + told(record));
    if (endedWithOrganization) owe("end of " + told(record), isGone(record.id) ? 1 : 0, 1, 1);
    else if (record.state === "live" && isGone(record.id)) findings.unowed.push("end of " + told(record));
    if (record.kind === "organization" && found !== undefined) {
      const expected = found.gone ? 0 : 1;
      owe("My Workspace of " + told(record), facts.welcomed.get(record.id) ?? 0, expected, expected);
    }
  }
  for (const [key, link] of ledger.links) {
    const lines = facts.ended.get(key) ?? 0;
    const inGoneOrganization = isGone(ledger.records.get(link.workspace)?.organization ?? "");
    const gone = isGone(link.resource);
    // Which of the two ends first when their organization does, is not said: the log may tell of it or not.
    const certain = link.state !== "unknown" && !inGoneOrganization;
    const owedLines = gone && link.state === "linked" ? 1 : 0;
    owe("line of the end of " + key, lines, certain ? owedLines : 0, certain ? owedLines : 1);
    const there = facts.links.has(key);
    if (link.state === "unlinked" && there) findings.lost.push("removal " + key);
    else if (gone || inGoneOrganization) owe("end of " + key, there ? 0 : 1, 1, 1);
    else if (link.state === "linked" && !there) findings.lost.push("assignment " + key);
  }
  for (const workspace of ledger.selections) {
    if (isGone(workspace)) owe("end of the selection of " + workspace, facts.selected.has(workspace) ? 0 : 1, 1, 1);
  }
  return findings;
}

const told = ({ kind, name, id }: LedgerRecord) => kind + " " + name + " " + id;

async function readFacts({ query }: Behind): Promise<Facts> {
  const records = new Map<string, { name: string; gone: boolean }>();
  for (const kind of Object.keys(SELECT_RECORDS) as RecordKind[]) {
    for (const { id, name, gone } of await query<{ id: string; name: string; gone: boolean }>(SELECT_RECORDS[kind])) {
      records.set(id, { name, gone });
    }
  }
  const links = await query<Pair>("select workspace_id, kind, resource_id from workspace.assignments");
  const ended = await query<Pair & { lines: number }>(
    "select workspace_id, acted_upon_kind as kind, acted_upon as resource_id, count(*)::integer as lines" +
      " from workspace.activity_events where action = 'unassign' and metadata->>'reason' = 'deleted' group by 1, 2, 3",
  );
  const welcomed = await query<{ id: string; workspaces: number }>(
    "select organization_id as id, count(*)::integer as workspaces from workspace.workspaces" +
      " where name = 'My Workspace' and deleted_at is null group by 1",
  );
  const selected = await query<{ id: string }>(
    "select selected_workspace as id from identity.preferences where selected_workspace is not null",
  );
  const parked = await query<{ id: string }>(selectParked);
  return {
    parked: parked.length,
    records,
    links: new Set(links.map(keyOf)),
    ended: new Map(ended.map((row) => [keyOf(row), row.lines])),
    welcomed: new Map(welcomed.map(({ id, workspaces }) => [id, workspaces])),
    selected: new Set(selected.map((row) => row.id)),
  };
}

interface Pair {
  workspace_id: string;
  kind: string;
  resource_id: string;
}

const keyOf = ({ workspace_id, kind, resource_id }: Pair) => linkKey(workspace_id, kind, resource_id);

const selectParked = SERVICES.map((schema) => "select id from " + schema + ".parked_messages").join(" union all ");

const SELECT_RECORDS: Readonly<Record<RecordKind, string>> = {
  environment: "select id, name, deleted_at is not null as gone from environment.environments",
  team: "select id, name, deleted_at is not null as gone from identity.teams",
  workspace: "select id, name, deleted_at is not null as gone from workspace.workspaces",
  organization: "select id, name, deleted_at is not null as gone from identity.organizations",
};
