import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { isId } from "@cloud/access/values";
import { batchEffect, type Effect, effect, Unreadable, type Verdict } from "@cloud/events";
import type { Database, Tx } from "@cloud/postgres";
import type { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { InstallationChanged, type RecordAuthority } from "./owner.ts";

/** The owner and the id of the record whose deletion an event reports. */
interface ReportedRecord<Schema extends DescMessage> {
  readonly owner: RecordAuthority;
  readonly kind: RecordKind;
  readonly idOf: (event: MessageShape<Schema>) => string;
}

/**
 * Creates an effect of the deletion of another service's record. It applies only if the owner confirms the deletion.
 * `act` uses its own transactions, as many as it needs, and is repeated from its beginning when it is interrupted.
 */
export function deletionEffect<Schema extends DescMessage>(
  schema: Schema,
  { owner, kind, idOf }: ReportedRecord<Schema>,
  act: (db: Database, event: MessageShape<Schema>) => Promise<void>,
): Effect {
  const confirmed = effect(
    schema,
    async () => undefined,
    (event) => verifyDeletion(owner, kind, idOf(event)),
  );
  return { ...confirmed, prepare: (db, event) => act(db, event as MessageShape<Schema>) };
}

/** Creates an effect like `deletionEffect` that applies many events in one transaction. */
export function deletionBatchEffect<Schema extends DescMessage>(
  schema: Schema,
  { owner, kind, idOf }: ReportedRecord<Schema>,
  apply: (tx: Tx, events: readonly MessageShape<Schema>[]) => Promise<void>,
): Effect {
  return batchEffect(schema, apply, (event) => verifyDeletion(owner, kind, idOf(event)));
}

async function verifyDeletion(owner: RecordAuthority, kind: RecordKind, id: string): Promise<Verdict> {
  if (!isId(id)) throw new Unreadable("the message names no record: its id is malformed");
  try {
    return verdicts[(await owner.statesOf(kind, [id])).get(id) ?? "unknown"]; // protects: verified-deletions
  } catch (error) {
    if (error instanceof InstallationChanged) return "unknown";
    throw error;
  }
}

const verdicts = { deleted: "confirmed", live: "refuted", unknown: "unknown" } as const;
