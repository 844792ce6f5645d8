import { MAX_IDS } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { type RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { createBatchLoader, type ServiceTransport } from "@cloud/rpc";
import type { Conditions } from "@cloud/runtime/telemetry";
import { createClient } from "@connectrpc/connect";
import { selectOrInsertPeerInstallation } from "./references-sql.ts";

/**
 * The state of a record; `unknown` if the owner never had it, or has lost it. Only `deleted` is applied automatically.
 */
export type RecordState = "live" | "deleted" | "unknown";

/** A peer that owns records which this service references. */
export interface RecordAuthority {
  readonly name: string;
  /**
   * Returns the states of any number of records, at most 1,000 per call. The map contains every id.
   *
   * @throws InstallationChanged if the peer uses another database; ConnectError if it cannot be reached
   */
  statesOf(kind: RecordKind, ids: readonly string[]): Promise<ReadonlyMap<string, RecordState>>;
}

/**
 * Thrown when the peer uses a different database than the one whose records are referenced: its replies prove
 * nothing.
 */
export class InstallationChanged extends Error {
  constructor(peer: string, seen: string, known: string) {
    super(
      `${peer} answers from another database (installation ${seen} instead of ${known}): ` +
        "nothing that refers to its records is changed until that is resolved; see docs/runbooks/restore.md",
    );
    this.name = "InstallationChanged";
  }
}

/** Returns each peer as an owner of records, by name. */
export function createAuthorities<Peer extends string>(
  peers: Readonly<Record<Peer, ServiceTransport>>,
  db: Database,
  conditions: Conditions,
): Readonly<Record<Peer, RecordAuthority>> {
  const entries = Object.entries<ServiceTransport>(peers);
  return Object.fromEntries(
    entries.map(([name, transport]) => [name, createOwner({ name, transport, db, conditions })]),
  ) as Record<Peer, RecordAuthority>;
}

interface OwnerOptions {
  readonly name: string;
  readonly transport: ServiceTransport;
  /** Stores the peer's installation. */
  readonly db: Database;
  readonly conditions: Conditions;
}

/** Creates the client of a peer that owns records. It checks which database each reply comes from. */
function createOwner({ name, transport, db, conditions }: OwnerOptions): RecordAuthority {
  const client = createClient(RecordStateService, transport);
  const assertKnown = createInstallationCheck(name, db, conditions);
  const lookUpOf = (kind: RecordKind) =>
    createBatchLoader<RecordState>(
      async (ids) => {
        const { installationId, liveIds, deletedIds } = await client.batchGetRecordStates({ kind, ids: [...ids] });
        await assertKnown(installationId); // protects: known-installation
        const states = new Map<string, RecordState>(ids.map((id) => [id, "unknown"])); // protects: unknown-is-unknown
        for (const id of liveIds) states.set(id, "live");
        for (const id of deletedIds) states.set(id, "deleted");
        return states;
      },
      { maxBatchSize: MAX_IDS },
    );
  const lookUps = new Map<RecordKind, ReturnType<typeof lookUpOf>>();
  return {
    name,
    statesOf: async (kind, ids) => {
      const lookUp = lookUps.get(kind) ?? lookUpOf(kind);
      lookUps.set(kind, lookUp);
      return new Map(await Promise.all(ids.map(async (id) => [id, await lookUp(id)] as const)));
    },
  };
}

/** Returns the check of a reply's installation. It reads the table only for a new one, so accepting it acts at once. */
function createInstallationCheck(peer: string, db: Database, conditions: Conditions) {
  let known: string | undefined;
  const condition = `installation-of-${peer}`;
  return async (seen: string): Promise<void> => {
    if (seen !== known) known = await selectOrInsertPeerInstallation(db, peer, seen);
    if (seen === known) return conditions.clear(condition);
    const changed = new InstallationChanged(peer, seen, known);
    conditions.raise(condition, changed.message);
    throw changed;
  };
}
