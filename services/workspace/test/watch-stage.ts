import type { WatchWorkspaceEventsResponse } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { waitFor } from "@cloud/testkit";
import type { Clients } from "./fixture.ts";

/** A watch that reads as fast as it can, with the events that it has received. */
export interface Watching {
  readonly messages: WatchWorkspaceEventsResponse[];
  /** The ids of the events received, in their order. */
  ids(): string[];
  /** Resolves once so many events have been received. */
  received(count: number): Promise<void>;
  /** Resolves with the error that ended it, and with undefined if it ended without one. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Opens a watch and waits for its first message. */
export async function startWatching(clients: Clients, request: { id: string; after?: string }): Promise<Watching> {
  const leaving = new AbortController();
  const messages: WatchWorkspaceEventsResponse[] = [];
  const stream = clients.workspaces.watchWorkspaceEvents(request, { signal: leaving.signal });
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done !== true) messages.push(first.value);
  const read = async (): Promise<undefined> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) messages.push(next.value);
  };
  const ended = read().catch((error: unknown) => error);
  const ids = () => messages.flatMap(({ event }) => event?.id ?? []);
  return {
    messages,
    ids,
    received: async (count) => {
      await waitFor(() => ids().length >= count || undefined, { deadlineMs: 30_000 });
    },
    ended,
    stop: () => {
      leaving.abort();
      return ended;
    },
  };
}
