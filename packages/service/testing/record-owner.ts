import { newId } from "@cloud/access/values";
import { type RecordKind, RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import type { ConnectRouter } from "@connectrpc/connect";
import type { RecordState } from "../src/references/owner.ts";

/** The states of records that a simulated owner reports. */
export interface RecordOwner {
  /** Ids that it reports as deleted, whatever its tables contain; an id in neither is unknown. */
  readonly deleted: Set<string>;
  installationId(): string;
  /** Makes it respond from another database, until it is called again with the first one's id. */
  moveTo(installationId: string): void;
  stateOf(kind: RecordKind, id: string): RecordState;
}

/** The live records of each kind, by id. */
type Tables = Partial<Readonly<Record<RecordKind, ReadonlyMap<string, unknown>>>>;

/** Creates an owner whose tables a test may change. */
export function createRecordOwner(tables: Tables): RecordOwner {
  const deleted = new Set<string>();
  let installation: string = newId();
  return {
    deleted,
    installationId: () => installation,
    moveTo: (installationId) => {
      installation = installationId;
    },
    stateOf: (kind, id) => {
      if (deleted.has(id)) return "deleted";
      return tables[kind]?.has(id) === true ? "live" : "unknown";
    },
  };
}

/** Serves the look-up of record states as every service does for its peers. */
export function serveRecordStates(router: ConnectRouter, { installationId, stateOf }: RecordOwner): void {
  router.service(RecordStateService, {
    batchGetRecordStates: ({ kind, ids }) => {
      const idsThat = (state: RecordState) => ids.filter((id) => stateOf(kind, id) === state);
      return { installationId: installationId(), liveIds: idsThat("live"), deletedIds: idsThat("deleted") };
    },
  });
}
