import type { Database } from "@cloud/postgres";
import type { ServiceTransport } from "@cloud/rpc";
import type { Conditions } from "@cloud/telemetry";
import { createOwner } from "./create-owner.ts";
import type { Owner } from "./owner.ts";

/** Returns each peer as an owner of records, by name. */
export function ownersOf<Peer extends string>(
  peers: Readonly<Record<Peer, ServiceTransport>>,
  db: Database,
  conditions: Conditions,
): Readonly<Record<Peer, Owner>> {
  const entries = Object.entries<ServiceTransport>(peers);
  return Object.fromEntries(
    entries.map(([name, transport]) => [name, createOwner({ name, transport, db, conditions })]),
  ) as Record<Peer, Owner>;
}
