import { type RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { ConnectRouter } from "@connectrpc/connect";
import type { RecordState } from "../src/references/owner.ts";

/** The states of records that a simulated owner reports. */
export interface RecordOwner {
  /** Ids that it reports as deleted, whatever its tables contain; an id in neither is unknown. */
  readonly deleted: Set<string>;
  stateOf(kind: RecordKind, id: string): RecordState;
}

/** The live records of each kind, by id. */
type Tables = Partial<Readonly<Record<RecordKind, ReadonlyMap<string, unknown>>>>;

/** Creates an owner whose tables a test may change. */
export function createRecordOwner(tables: Tables): RecordOwner {
  const deleted = new Set<string>();
  return {
    deleted,
    stateOf: (kind, id) => {
      if (deleted.has(id)) return "deleted";
      return tables[kind]?.has(id) === true ? "live" : "unknown";
    },
  };
}

/** Serves the look-up of record states as every service does for its peers. */
export function serveRecordStates(router: ConnectRouter, { stateOf }: RecordOwner): void {
  router.service(RecordStateService, {
    batchGetRecordStates: ({ kind, ids }) => {
      const idsThat = (state: RecordState) => ids.filter((id) => stateOf(kind, id) === state);
      return { liveIds: idsThat("live"), deletedIds: idsThat("deleted") };
    },
  });
}
