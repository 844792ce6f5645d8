import type { Database } from "@cloud/postgres";
import type { Delivery } from "../event-transport.ts";
import { beginTry, deleteBegunTries, undoTry, updateWaits } from "./begun-tries-sql.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import { maxTries } from "./max-tries.ts";
import { watchWaits } from "./watch-waits.ts";

/**
 * A message redelivered twice without an ack may be crashing its consumer, or may only have been in flight when another
 * one did: everything a process holds is redelivered when it dies. So from its third delivery on ("suspect") a message
 * runs alone and each attempt is recorded; then only that message can be the cause.
 */
const SUSPECT_FROM = 3;

export const isSuspect = (delivery: Delivery): boolean => delivery.deliveries >= SUSPECT_FROM;

export class EndsTheProcess extends Error {}

/** The steps of an attempt. A message that can be read has yet to be applied, so reading it keeps earlier records. */
export type Step = "read" | "apply";

/**
 * Runs one step of handling a message, and records it if the message is a suspect. The record is deleted unless the
 * step ends the process.
 *
 * @throws EndsTheProcess if every allowed attempt has ended the process
 */
export async function runOnRecord<T>(
  { db, consumer }: ConsumerContext,
  delivery: Delivery,
  step: Step,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  if (!isSuspect(delivery)) return work(db);
  const id = delivery.headers["ce-id"] ?? ""; // reading more of the message may be what crashes the process
  await assertMayTry(db, consumer, id);
  try {
    return await work(watchWaits(db, (waits) => updateWaits(db, consumer, id, waits)));
  } finally {
    await (step === "read" ? undoTry : deleteBegunTries)(db, consumer, id);
  }
}

async function assertMayTry(db: Database, consumer: string, eventId: string): Promise<void> {
  const allowed = maxTries - (SUSPECT_FROM - 1);
  const begun = await beginTry(db, consumer, eventId, allowed);
  if (begun < allowed) return;
  throw new EndsTheProcess(`the process ended in each attempt to apply it, ${begun} times while nothing else ran`);
}
