import { listParked, replayParked } from "@cloud/events";
import { natsAccess, natsSettings, rewindConsumer } from "@cloud/events/nats";
import { readConfig } from "@cloud/runtime/settings";
import type { Outcome, Place } from "./place.ts";
import type { CommandOptions } from "./read-command.ts";

/** Publishes parked messages again, to the consumer of this service only, or lists them. */
export async function replay({ db, print }: Place, { id, dryRun }: CommandOptions): Promise<Outcome> {
  const parked = await listParked(db);
  const chosen = parked.filter((message) => (id === undefined ? message.replayedAt === null : message.id === id));
  const messages = chosen.map(({ replayedAt: _, ...message }) => message);
  for (const message of messages) print(JSON.stringify(message));
  const ids = messages.map((message) => message.id);
  const replayed = dryRun || ids.length === 0 ? 0 : await replayParked(db, ids);
  if (ids.length === 0) print(id === undefined ? "no message is parked" : `no parked message has the id ${id}`);
  else if (dryRun) print(`${ids.length} would be published again: replay without --dry-run`);
  else print(`${replayed} are published again, by a replica of the service`);
  return { code: ids.length === 0 && id !== undefined ? 1 : 0, report: { messages, replayed } };
}

/** Makes the service receive all events of the stream again, or counts them. */
export async function rewind(place: Place, { dryRun }: CommandOptions): Promise<Outcome> {
  const { parts, components, env, print } = place;
  const nats = natsAccess(readConfig(natsSettings(), env));
  const { effects } = components;
  const rewound = await rewindConsumer({ nats, consumer: parts.schema.name, effects, dryRun });
  for (const { durable, again } of rewound) print(`${durable}: ${again} events`);
  const count = rewound.reduce((sum, { again }) => sum + again, 0);
  if (dryRun) print(`${count} would be delivered again: rewind without --dry-run`);
  else print(`${count} are delivered again; the inbox skips the ones that it has`);
  return { code: 0, report: { durables: rewound, events: count } };
}
