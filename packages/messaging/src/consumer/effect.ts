import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { Tx } from "@cloud/postgres";
import type { Envelope } from "../event-headers.ts";
import { eventSubject } from "../event-subject.ts";

/** What a consumer does on one type of event. */
export interface Effect {
  /** The full name of the Protobuf message. */
  readonly type: string;
  readonly subject: string;
  /** Decodes first, and throws when it cannot; what it answers does the effect. */
  readonly prepare: (payload: Uint8Array) => (tx: Tx, envelope: Envelope) => Promise<void>;
}

/**
 * Does `apply` once per event, in the transaction that remembers the event. `apply` sets a state, never toggles one:
 * events may arrive in another order than they were made.
 */
export function effect<Schema extends DescMessage>(
  schema: Schema,
  apply: (tx: Tx, event: MessageShape<Schema>, envelope: Envelope) => Promise<void>,
): Effect {
  return {
    type: schema.typeName,
    subject: eventSubject(schema),
    prepare: (payload) => {
      const event = fromBinary(schema, payload);
      return (tx, envelope) => apply(tx, event, envelope);
    },
  };
}
