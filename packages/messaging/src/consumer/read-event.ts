import { readEventHeaders } from "../event-headers.ts";
import type { Delivery } from "../event-transport.ts";
import type { Effect, Received } from "./effect.ts";
import { Unreadable } from "./unreadable.ts";

/** @throws Unreadable if the headers or the payload cannot be decoded */
export function readEvent(
  effect: Effect,
  { payload, headers }: Pick<Delivery, "payload" | "headers">,
): Received<unknown> {
  try {
    return { event: effect.decode(payload), envelope: readEventHeaders(headers, effect.type) };
  } catch (error) {
    throw new Unreadable("the message cannot be read", { cause: error });
  }
}
