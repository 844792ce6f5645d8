import type { Sql } from "@cloud/postgres";
import type { Delivery } from "../event-transport.ts";
import { beginTry } from "./begun-tries-sql.ts";
import { maxTries } from "./max-tries.ts";

/**
 * A message that came twice and had no answer may be one that ends its process: or it was only near one, since all that
 * a process has in its hands is delivered again when it dies. So from its third delivery on it is applied with nothing
 * beside it, and on record: then only that message can be the reason.
 */
const SUSPECT_FROM = 3;

export const isSuspect = (delivery: Delivery): boolean => delivery.deliveries >= SUSPECT_FROM;

export class EndsTheProcess extends Error {}

/** @throws EndsTheProcess when the process has ended in every try before, so that there must be no other */
export async function noteTry(sql: Sql, consumer: string, eventId: string): Promise<void> {
  const allowed = maxTries - (SUSPECT_FROM - 1);
  const begun = await beginTry(sql, consumer, eventId, allowed);
  if (begun < allowed) return;
  throw new EndsTheProcess(`the process ended in each try to apply it, ${begun} times with nothing beside it`);
}
