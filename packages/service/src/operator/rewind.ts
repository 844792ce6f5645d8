import { type RewindOptions, rewindConsumer } from "@cloud/messaging";

export interface RewindCommand extends RewindOptions {
  readonly print: (line: string) => void;
}

/** Lets the service receive again all events that the stream has. Returns the exit code. */
export async function rewind({ print, ...options }: RewindCommand): Promise<number> {
  const rewound = await rewindConsumer(options);
  for (const { durable, again } of rewound) print(`${durable}: ${again} events`);
  const count = rewound.reduce((sum, { again }) => sum + again, 0);
  if (options.dryRun) print(`${count} would be delivered again: rewind without --dry-run`);
  else print(`${count} are delivered again; those that the inbox has are skipped`);
  return 0;
}
