import { fail } from "@cloud/access/errors";
import { parseIds } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { BatchGetRecordStatesRequest } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { type OwnedRecords, selectRecordStates } from "./record-states-sql.ts";

/** Returns the states of records of this service. Unknown and malformed ids are in neither list. */
export async function batchGetRecordStates(db: Database, owned: OwnedRecords, request: BatchGetRecordStatesRequest) {
  const table = owned[request.kind];
  if (table === undefined) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "kind", accepts: "a kind of record that this service owns" });
  }
  return await selectRecordStates(db, table, parseIds(request.ids));
}
