import type { OutboxRow } from "./outbox-sql.ts";

/** A relay of this process, as the transactions of the process see it. */
export interface OwnRelay {
  /** Whether it would publish an event now. */
  isReady(): boolean;
  /** Publishes events that were committed with a lease to it. */
  publish(events: readonly OutboxRow[]): Promise<void>;
  /** Looks for unpublished events now. */
  wake(): void;
}

/** Names an outbox: relays and transactions may use different pools. */
export interface Outbox {
  readonly url: string;
  readonly schema: string;
}

const relays = new Map<string, OwnRelay>();

const keyOf = ({ url, schema }: Outbox) => `${schema} of ${url}`;

/** Registers the relay of an outbox. Returns the function that ends that. Of several relays, the last is used. */
export function registerRelay(outbox: Outbox, relay: OwnRelay): () => void {
  const key = keyOf(outbox);
  relays.set(key, relay);
  return () => {
    if (relays.get(key) === relay) relays.delete(key);
  };
}

/** Returns the relay of an outbox in this process, if there is one. */
export function findRelay(outbox: Outbox): OwnRelay | undefined {
  return relays.get(keyOf(outbox));
}
