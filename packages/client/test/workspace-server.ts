import { createServer } from "node:http";
import { create } from "@bufbuild/protobuf";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { listen } from "@cloud/runtime";
import { connectNodeAdapter } from "@connectrpc/connect-node";

/** A try of a call, as the server received it. */
export interface Received {
  readonly key: string | string[] | undefined;
  readonly authorization: string | undefined;
  /** Milliseconds until the deadline that the client sent. */
  readonly timeoutMs: number;
}

/** The outcome of a try: a failure, a broken connection, no reply at all, or a success if undefined. */
export type Outcome = Error | "cut" | "silence" | undefined;

export interface WorkspaceServer {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Sets what the next tries come to; those after them succeed. */
  next(...outcomes: Outcome[]): void;
  /** Sets what all tries come to for which `next` has set nothing. */
  always(outcome: Outcome): void;
  /** Calls this when a try has been received, before it comes to anything. */
  onReceived(call: () => void): void;
  stop(): Promise<void>;
}

/** Starts a server of WorkspaceService whose failures the test decides. */
export async function startWorkspaceServer(port = 0): Promise<WorkspaceServer> {
  const received: Received[] = [];
  let outcomes: Outcome[] = [];
  let usual: Outcome;
  let onReceived: () => void = () => undefined;
  const workspace = create(WorkspaceSchema, { id: "1", name: "Tour" });
  let failure: Error | undefined;
  const take = () => {
    if (failure !== undefined) throw failure;
  };
  const reply = () => {
    take();
    return { workspace };
  };
  const empty = () => {
    take();
    return {};
  };
  const adapter = connectNodeAdapter({
    routes: (router) => {
      router.service(WorkspaceService, {
        getWorkspace: reply,
        createWorkspace: reply,
        updateWorkspace: reply,
        deleteWorkspace: empty,
        assignTeam: empty,
      });
    },
  });
  const http = createServer((request, response) => {
    const { "idempotency-key": key, "connect-timeout-ms": timeoutMs, authorization } = request.headers;
    received.push({ key, authorization, timeoutMs: Number(timeoutMs) });
    onReceived();
    const outcome = outcomes.length > 0 ? outcomes.shift() : usual;
    if (outcome === "cut") request.socket.destroy();
    else if (outcome !== "silence") {
      failure = outcome;
      adapter(request, response);
    }
  });
  const listening = await listen(http, "127.0.0.1", port, 1);
  return {
    url: listening.url,
    port: listening.port,
    received,
    next: (...given) => {
      outcomes = given;
    },
    always: (outcome) => {
      usual = outcome;
    },
    onReceived: (call) => {
      onReceived = call;
    },
    stop: async () => {
      const closed = listening.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
