import { listParked, replayParked } from "@cloud/events";
import { natsAccess, natsSettings, rewindConsumer } from "@cloud/events/nats";
import { readConfig } from "@cloud/runtime/settings";
import type { Place } from "./place.ts";
import type { CommandOptions } from "./read-command.ts";

/** Publishes parked messages again, to the consumer of this service only, or lists them. Returns the exit code. */
export async function replay({ db, print }: Place, { id, dryRun }: CommandOptions): Promise<number> {
  const parked = await listParked(db);
  const chosen = parked.filter((message) => (id === undefined ? message.replayedAt === null : message.id === id));
  for (const { replayedAt: _, ...message } of chosen) print(JSON.stringify(message));
  if (chosen.length === 0) {
    print(id === undefined ? "no message is parked" : `no parked message has the id ${id}`);
    return id === undefined ? 0 : 1;
  }
  if (dryRun) print(`${chosen.length} would be published again: replay without --dry-run`);
  else {
    const ids = chosen.map((message) => message.id);
    print(`${await replayParked(db, ids)} are published again, by a replica of the service`);
  }
  return 0;
}

/** Makes the service receive all events of the stream again, or counts them. Returns the exit code. */
export async function rewind({ parts, components, env, print }: Place, { dryRun }: CommandOptions): Promise<number> {
  const nats = natsAccess(readConfig(natsSettings(), env));
  const { effects } = components;
  const rewound = await rewindConsumer({ nats, consumer: parts.schema.name, effects, dryRun });
  for (const { durable, again } of rewound) print(`${durable}: ${again} events`);
  const count = rewound.reduce((sum, { again }) => sum + again, 0);
  if (dryRun) print(`${count} would be delivered again: rewind without --dry-run`);
  else print(`${count} are delivered again; the inbox skips the ones that it has`);
  return 0;
}
