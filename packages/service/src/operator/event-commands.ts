import { listParked, replayParked } from "@cloud/events";
import { type RewindOptions, rewindConsumer } from "@cloud/events/nats";
import type { Database } from "@cloud/postgres";

interface ReplayCommand {
  readonly db: Database;
  /** The parked message to replay; all messages that were not replayed yet if absent. */
  readonly id: string | undefined;
  /** Only lists the messages. */
  readonly dryRun: boolean;
  readonly print: (line: string) => void;
}

/** Publishes parked messages again, to the consumer of this service only. Returns the exit code. */
export async function replay({ db, id, dryRun, print }: ReplayCommand): Promise<number> {
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

interface RewindCommand extends RewindOptions {
  readonly print: (line: string) => void;
}

/** Makes the service receive all events of the stream again. Returns the exit code. */
export async function rewind({ print, ...options }: RewindCommand): Promise<number> {
  const rewound = await rewindConsumer(options);
  for (const { durable, again } of rewound) print(`${durable}: ${again} events`);
  const count = rewound.reduce((sum, { again }) => sum + again, 0);
  if (options.dryRun) print(`${count} would be delivered again: rewind without --dry-run`);
  else print(`${count} are delivered again; the inbox skips the ones that it has`);
  return 0;
}
