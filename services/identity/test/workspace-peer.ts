import { appendEvent, connectNats, messagingMigrations, startRelay } from "@cloud/messaging";
import { migrate, openDatabase } from "@cloud/postgres";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { newId, startRpcServer, type WorkspaceId } from "@cloud/rpc";
import { createTestDatabase, testTelemetry } from "@cloud/testkit";
import { Code, ConnectError } from "@connectrpc/connect";

export interface WorkspacePeer {
  readonly url: string;
  /** A live workspace from now on. */
  addWorkspace(organizationId: string): string;
  /** Deletes it as the owner does: gone for look-ups, and told by event in the same moment. */
  deleteWorkspace(id: string): Promise<void>;
  /** Runs once, after the next look-up has found its answer and before the answer leaves. */
  beforeNextAnswer(action: () => Promise<void>): void;
  stop(): Promise<void>;
}

/** The workspace service as identity sees it: a real server that looks workspaces up, and a real relay of its events. */
export async function startWorkspacePeer(natsUrl: string, serviceToken: string): Promise<WorkspacePeer> {
  await using resources = new AsyncDisposableStack();
  const telemetry = testTelemetry();
  const database = await createTestDatabase("workspace");
  resources.defer(() => database.drop());
  await migrate({ url: database.url, schema: "workspace", sources: [messagingMigrations], log: telemetry.log });
  const db = openDatabase({ url: database.url, schema: "workspace", applicationName: "peer", log: telemetry.log });
  resources.defer(() => db.close());
  const transport = connectNats({ url: natsUrl, clientName: "workspace", telemetry });
  resources.defer(async () => transport.close());
  const relay = startRelay({ db, transport, source: "workspace", telemetry });
  resources.defer(() => relay.stop());

  const live = new Map<string, string>();
  let pending: (() => Promise<void>) | undefined;
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    routes: (router) =>
      router.service(DirectoryService, {
        async batchGetWorkspaces({ ids }) {
          const workspaces = ids.filter((id) => live.has(id)).map((id) => ({ id, organizationId: live.get(id) ?? "" }));
          const action = pending;
          pending = undefined;
          await action?.();
          return { workspaces };
        },
      }),
    services: [DirectoryService],
    authenticate: async () => {
      throw new ConnectError("users do not call this", Code.Unauthenticated);
    },
    organizationIsLive: async () => false,
    serviceTokens: [serviceToken],
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry,
  });
  resources.defer(() => server.stop());

  const running = resources.move();
  return {
    url: server.url,
    addWorkspace: (organizationId) => {
      const id = newId<WorkspaceId>();
      live.set(id, organizationId);
      return id;
    },
    deleteWorkspace: async (workspaceId) => {
      const organizationId = live.get(workspaceId) ?? "";
      live.delete(workspaceId);
      await db.withTransaction((tx) => appendEvent(tx, WorkspaceDeletedSchema, { workspaceId, organizationId }));
    },
    beforeNextAnswer: (action) => {
      pending = action;
    },
    stop: () => running.disposeAsync(),
  };
}
