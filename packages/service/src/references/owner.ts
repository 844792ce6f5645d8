import { MAX_IDS } from "@cloud/access/values";
import { type RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { createBatchLoader, type ServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";

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
   * @throws ConnectError if it cannot be reached
   */
  statesOf(kind: RecordKind, ids: readonly string[]): Promise<ReadonlyMap<string, RecordState>>;
}

/** Returns each peer as an owner of records, by name. */
export function createAuthorities<Peer extends string>(
  peers: Readonly<Record<Peer, ServiceTransport>>,
): Readonly<Record<Peer, RecordAuthority>> {
  const entries = Object.entries<ServiceTransport>(peers);
  return Object.fromEntries(entries.map(([name, transport]) => [name, createOwner(name, transport)])) as Record<
    Peer,
    RecordAuthority
  >;
}

/** Creates the client of a peer that owns records. */
function createOwner(name: string, transport: ServiceTransport): RecordAuthority {
  const client = createClient(RecordStateService, transport);
  const lookUpOf = (kind: RecordKind) =>
    createBatchLoader<RecordState>(
      async (ids) => {
        const { liveIds, deletedIds } = await client.batchGetRecordStates({ kind, ids: [...ids] });
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
