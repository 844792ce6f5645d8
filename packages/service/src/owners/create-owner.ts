import { MAX_IDS } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { type RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { coalesce, type ServiceTransport } from "@cloud/rpc";
import type { Conditions } from "@cloud/telemetry";
import { createClient } from "@connectrpc/connect";
import { selectOrInsertPeerInstallation } from "../installation/installation-sql.ts";
import { InstallationChanged, type Owner, type RecordState } from "./owner.ts";

/**
 * Milliseconds to pause after a call, by its number of keys: a single key is looked up immediately; during a burst,
 * keys accumulate. Without the pause, 502 deletions took 89 calls; messages that are being applied meanwhile have been
 * looked up already.
 */
const restAfter = (keys: number) => Math.min(2 * keys, 20);

export interface OwnerOptions {
  readonly name: string;
  readonly transport: ServiceTransport;
  /** Stores the peer's installation. */
  readonly db: Database;
  readonly conditions: Conditions;
}

/** Creates the client of a peer that owns records. It checks which database each reply comes from. */
export function createOwner({ name, transport, db, conditions }: OwnerOptions): Owner {
  const client = createClient(RecordStateService, transport);
  const assertKnown = createInstallationCheck(name, db, conditions);
  const lookUpOf = (kind: RecordKind) =>
    coalesce<RecordState>(
      async (ids) => {
        const { installationId, liveIds, deletedIds } = await client.batchGetRecordStates({ kind, ids: [...ids] });
        await assertKnown(installationId);
        const states = new Map<string, RecordState>(ids.map((id) => [id, "unknown"]));
        for (const id of liveIds) states.set(id, "live");
        for (const id of deletedIds) states.set(id, "deleted");
        return states;
      },
      { mostKeys: MAX_IDS, restAfter },
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

/** Reads the table only for an unfamiliar installation, so that accepting one takes effect immediately. */
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
