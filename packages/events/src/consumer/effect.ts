import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { Database, Tx } from "@cloud/postgres";
import { type Envelope, eventSubject, readEventHeaders } from "../envelope.ts";
import type { Delivery } from "../event-transport.ts";

/**
 * The owner's verdict on an event that reports the deletion of one of its records. `confirmed`: the record is deleted.
 * `refuted`: it exists, so the event is forged, or the owner was restored to a moment before the deletion. `unknown`:
 * the owner never had the record, or has lost it.
 */
export type Verdict = "confirmed" | "refuted" | "unknown";

/** An event as a consumer received it. */
export interface DecodedEvent<Event> {
  readonly event: Event;
  readonly envelope: Envelope;
}

/** The handling of one type of event by a consumer. `Event` is the decoded payload, which only the effect inspects. */
export interface Effect<Event = unknown> {
  /** The full name of the Protobuf message. */
  readonly type: string;
  readonly subject: string;
  /** The most events applied in one transaction. */
  readonly max: number;
  /** Decodes a payload. @throws Error if it cannot be decoded */
  readonly decode: (payload: Uint8Array) => Event;
  /**
   * Checks with the owner whether the event is true. Called outside of any transaction; throws if the owner cannot be
   * reached.
   */
  readonly verify: (event: Event) => Promise<Verdict>;
  /**
   * Does what would take too long for one transaction, in transactions of its own; nothing if absent. It may be
   * repeated at any point, also when the event was applied, so it sets a state.
   */
  readonly prepare?: ((db: Database, event: Event) => Promise<void>) | undefined;
  readonly apply: (tx: Tx, received: readonly DecodedEvent<Event>[]) => Promise<void>;
}

type Verify<Schema extends DescMessage> = (event: MessageShape<Schema>) => Promise<Verdict>;

/**
 * Runs `apply` once per event, in the transaction that records the event in the inbox. `apply` sets a state and never
 * toggles one, because events may arrive in a different order than the changes were made. An event that deletes or
 * unlinks something needs `verify`: every holder of its owner's login can publish it, and no later event restores what
 * it removed.
 */
export function effect<Schema extends DescMessage>(
  schema: Schema,
  apply: (tx: Tx, event: MessageShape<Schema>, envelope: Envelope) => Promise<void>,
  verify?: Verify<Schema>,
): Effect {
  const applyEach = async (tx: Tx, received: readonly DecodedEvent<MessageShape<Schema>>[]) => {
    for (const { event, envelope } of received) await apply(tx, event, envelope);
  };
  return makeEffect(schema, applyEach, verify, 1);
}

/**
 * Like `effect`, for many events in one transaction: all that are ready at the same time. In a transaction of 100, an
 * event costs a tenth of what it costs alone.
 */
export function batchEffect<Schema extends DescMessage>(
  schema: Schema,
  apply: (tx: Tx, events: readonly MessageShape<Schema>[]) => Promise<void>,
  verify?: Verify<Schema>,
): Effect {
  const applyAll = (tx: Tx, received: readonly DecodedEvent<MessageShape<Schema>>[]) =>
    apply(
      tx,
      received.map(({ event }) => event),
    );
  return makeEffect(schema, applyAll, verify, 100);
}

function makeEffect<Schema extends DescMessage>(
  schema: Schema,
  apply: Effect<MessageShape<Schema>>["apply"],
  verify: Verify<Schema> = async () => "confirmed",
  max: number,
): Effect {
  const decode = (payload: Uint8Array) => fromBinary(schema, payload);
  const typed: Effect<MessageShape<Schema>> = {
    type: schema.typeName,
    subject: eventSubject(schema),
    max,
    decode,
    verify,
    apply,
  };
  return typed as Effect; // `verify` and `apply` only ever receive what its own `decode` returned
}

/** Thrown for a message that no retry can make readable; it is parked at its first attempt. */
export class Unreadable extends Error {}

/** Decodes a message. @throws Unreadable if its headers or its payload cannot be decoded */
export function readEvent(
  effect: Effect,
  { payload, headers }: Pick<Delivery, "payload" | "headers">,
): DecodedEvent<unknown> {
  try {
    return { event: effect.decode(payload), envelope: readEventHeaders(headers, effect.type) };
  } catch (error) {
    throw new Unreadable("the message cannot be read", { cause: error });
  }
}
