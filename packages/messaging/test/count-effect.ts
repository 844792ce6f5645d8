import type { Tx } from "@cloud/postgres";
import type { EnvironmentDeleted } from "@cloud/proto/environment/v1/events_pb";

/** An effect that, against the rules, tells how often it was applied. */
export async function count(tx: Tx, { environmentId }: EnvironmentDeleted): Promise<void> {
  const insert = "insert into effects values ($1, 1) on conflict (name) do update set count = effects.count + 1";
  await tx.query(insert, [environmentId]);
}
