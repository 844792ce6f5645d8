import { connectToNats, waitFor } from "@cloud/testkit";
import { headers, type NatsConnection, nanos, type StoredMsg } from "nats";
import type { System } from "../system/start-system.ts";

/** The stream of a system's events, as an operator accesses it. */
export interface EventStream {
  /** Returns all stored messages, oldest first. */
  read(): Promise<StoredMsg[]>;
  /** Publishes messages again unchanged, including `Nats-Msg-Id`, after the stream's duplicate window. */
  republish(messages: readonly StoredMsg[]): Promise<void>;
  close(): Promise<void>;
}

const NAME = "CLOUD_EVENTS";
const SIDE_BY_SIDE = 200;

export async function openEventStream({ nats }: System): Promise<EventStream> {
  const connection = await connectToNats(nats.url);
  const jsm = await connection.jetstreamManager();
  return {
    read: async () => {
      const { state } = await jsm.streams.info(NAME);
      const sequences = Array.from({ length: state.messages }, (_, index) => state.first_seq + index);
      return await eachOf(sequences, (seq) => jsm.streams.getMessage(NAME, { seq }));
    },
    republish: async (messages) => {
      await jsm.streams.update(NAME, { duplicate_window: nanos(100) });
      await eachOf(messages, (message) => store(connection, message));
    },
    close: () => connection.close(),
  };
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let begun = 0; begun < items.length; begun += SIDE_BY_SIDE) {
    results.push(...(await Promise.all(items.slice(begun, begun + SIDE_BY_SIDE).map(work))));
  }
  return results;
}

/** Repeats until the stream accepts it as a new message. */
async function store(connection: NatsConnection, { subject, data, header }: StoredMsg): Promise<void> {
  const sent = headers();
  for (const name of header.keys()) sent.set(name, header.get(name));
  await waitFor(
    async () => {
      const { duplicate } = await connection.jetstream().publish(subject, data, { headers: sent });
      return duplicate ? undefined : true;
    },
    { deadlineMs: 10_000 },
  );
}
