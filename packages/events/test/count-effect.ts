import { statement, type Tx } from "@cloud/postgres";
import { type EnvironmentDeleted, EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { batchEffect, type Effect } from "../src/consumer/effect.ts";

/** Like `count`, for many events. */
export async function countAll(tx: Tx, names: readonly string[]): Promise<void> {
  const insert = statement`
    insert into effects
    select name, 1
    from unnest($1::text[]) as name
    on conflict (name) do update
    set count = effects.count + 1`;
  await tx.query(insert, [names]);
}

/** An effect that, against the rules, counts how often it was applied. */
export async function count(tx: Tx, { environmentId }: EnvironmentDeleted): Promise<void> {
  const insert = statement`
    insert into effects
    values ($1, 1)
    on conflict (name) do update
    set count = effects.count + 1`;
  await tx.query(insert, [environmentId]);
}

/**
 * A batch effect that fails whenever the event named `poison` is among its events. Appends the size of each attempt.
 */
export function refusePoison(sizes: number[] = []): Effect {
  return batchEffect(EnvironmentDeletedSchema, async (tx, events) => {
    const names = events.map(({ environmentId }) => environmentId);
    sizes.push(names.length);
    await countAll(tx, names);
    if (names.includes("poison")) throw new Error("cannot be applied");
  });
}
