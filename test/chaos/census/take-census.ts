import type { RecordKind } from "../ledger/ledger.ts";
import { forEachService, type ServiceName } from "../system/services.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

type State = "live" | "deleted";

/** A row that a service stores about another service's record. */
export interface Reference {
  readonly holder: ServiceName;
  readonly kind: RecordKind;
  readonly id: string;
}

/** The records of all owners, and what the other services store about them, each read from its own database. */
export interface Census {
  /** Undefined for a record that its owner does not have. */
  stateOf(kind: RecordKind, id: string): State | undefined;
  /** The references in use: links, selections, organizations assumed to be live. */
  readonly references: readonly Reference[];
  /** Records assumed to be deleted. */
  readonly tombstones: readonly Reference[];
}

export async function takeCensus({ of }: SystemDatabases): Promise<Census> {
  const records = await forEachService((name) =>
    of[name]<{ kind: RecordKind; id: string; state: State }>(RECORDS[name]),
  );
  const states = new Map(
    Object.values(records)
      .flat()
      .map(({ kind, id, state }) => [kind + " " + id, state]),
  );
  const kept = await forEachService((name) => of[name]<{ kind: RecordKind; id: string; state: State }>(KEPT[name]));
  const all = Object.entries(kept).flatMap(([holder, rows]) =>
    rows.map(({ kind, id, state }) => ({ holder: holder as ServiceName, kind, id, state })),
  );
  // Two censuses are compared, and Postgres returns rows in the order of the plan of the moment.
  all.sort((left, right) => nameOf(left).localeCompare(nameOf(right)));
  return {
    stateOf: (kind, id) => states.get(kind + " " + id),
    references: all.filter(({ state }) => state === "live"),
    tombstones: all.filter(({ state }) => state === "deleted"),
  };
}

const nameOf = ({ holder, kind, id }: Reference) => `${holder}: ${kind} ${id}`;

/** Returns links, selections and organizations in use whose owner has deleted the record. */
export const dangling = ({ references, stateOf }: Census): string[] =>
  references.filter(({ kind, id }) => stateOf(kind, id) === "deleted").map(nameOf);

/** Returns references whose owner does not have the record. */
export const unknownReferences = ({ references, stateOf }: Census): string[] =>
  references.filter(({ kind, id }) => stateOf(kind, id) === undefined).map(nameOf);

/** Returns tombstones of live records: such a record cannot be linked, and nothing can be created in it. */
export const wrongTombstones = ({ tombstones, stateOf }: Census): string[] =>
  tombstones.filter(({ kind, id }) => stateOf(kind, id) === "live").map(nameOf);

const RECORDS: Readonly<Record<ServiceName, string>> = {
  identity: `
    select 'organization' as kind, id, case when deleted_at is null then 'live' else 'deleted' end as state
    from identity.organizations
    union all
    select 'team', id, case when deleted_at is null then 'live' else 'deleted' end
    from identity.teams`,
  environment: `
    select 'environment' as kind, id, case when deleted_at is null then 'live' else 'deleted' end as state
    from environment.environments`,
  workspace: `
    select 'workspace' as kind, id, case when deleted_at is null then 'live' else 'deleted' end as state
    from workspace.workspaces`,
};

const KEPT: Readonly<Record<ServiceName, string>> = {
  identity: `
    select distinct 'workspace' as kind, selected_workspace as id, 'live' as state
    from identity.preferences
    where selected_workspace is not null
    union all
    select 'workspace', id, 'deleted'
    from identity.workspace_references
    where deleted_at is not null`,
  environment: `
    select 'organization' as kind, id, case when deleted_at is null then 'live' else 'deleted' end as state
    from environment.organizations`,
  workspace: `
    select 'organization' as kind, id, case when deleted_at is null then 'live' else 'deleted' end as state
    from workspace.organizations
    union all
    select distinct kind, resource_id, 'live'
    from workspace.assignments
    where kind in ('team', 'environment')
    union all
    select kind, id, 'deleted'
    from workspace.resource_references
    where deleted_at is not null`,
};
