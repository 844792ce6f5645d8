import type { Caller } from "./caller.ts";
import { isId, type UserId } from "./values.ts";

/** In whose name a record is created: the user, or whom a service names. */
export function ownerFor(caller: Pick<Caller, "kind" | "userId">, requested: string): UserId | "" {
  if (caller.kind === "user") {
    return caller.userId;
  }
  return isId(requested) ? (requested.toLowerCase() as UserId) : "";
}
