import { setTimeout as delay } from "node:timers/promises";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import { openEventStream } from "../../e2e/watches/read-events.ts";

/** A client that watches again, after the last position that it has received, whenever its watch ends. */
export interface PersistentWatch {
  /** The ids of the events that it has received, in their order. */
  readonly ids: string[];
  /** Resolves with the position that it began behind. */
  readonly begun: Promise<string>;
  reconnects(): number;
  stop(): Promise<void>;
}

/** Opens one watch behind `after`, and reports its positions and events. Rejects, or resolves, when it ends. */
type WatchOnce = (
  after: string,
  signal: AbortSignal,
  report: (position: string, eventId: string | undefined) => void,
) => Promise<void>;

export interface WatchedAt {
  readonly url: string;
  readonly token: string;
  readonly workspaceId: string;
}

export const watchByRest = ({ url, token, workspaceId }: WatchedAt): PersistentWatch =>
  watchPersistently(async (after, signal, report) => {
    const headers = { authorization: `Bearer ${token}`, ...(after !== "" && { "last-event-id": after }) };
    const stream = await openEventStream(`${url}/api/workspaces/${workspaceId}/events:watch`, headers);
    const leave = () => stream.leave();
    signal.addEventListener("abort", leave);
    try {
      if (stream.status !== 200) throw new Error(`status ${stream.status}`);
      stream.onId((id) => report(id, undefined));
      for await (const { id, type } of stream.events) {
        if (type !== "message") return;
        report(id, id);
      }
    } finally {
      signal.removeEventListener("abort", leave);
      stream.leave();
    }
  });

export const watchByRpc = ({ url, token, workspaceId }: WatchedAt): PersistentWatch =>
  watchPersistently(async (after, signal, report) => {
    const transport = createServiceTransport({ url, serviceToken: token });
    const client = createClient(WorkspaceService, transport);
    try {
      const stream = client.watchWorkspaceEvents({ id: workspaceId, after }, { signal });
      for await (const { event, position } of stream) if (position !== "") report(position, event?.id);
    } finally {
      transport.close();
    }
  });

function watchPersistently(once: WatchOnce): PersistentWatch {
  const leaving = new AbortController();
  const ids: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<string>();
  let reconnects = -1;
  const watch = async () => {
    let last = "";
    while (!leaving.signal.aborted) {
      reconnects++;
      await once(last, leaving.signal, (position, eventId) => {
        if (last === "") begin(position);
        last = position;
        if (eventId !== undefined) ids.push(eventId);
      }).catch(() => undefined);
      await delay(50);
    }
  };
  const running = watch();
  return {
    ids,
    begun,
    reconnects: () => reconnects,
    stop: () => {
      leaving.abort();
      return running;
    },
  };
}
