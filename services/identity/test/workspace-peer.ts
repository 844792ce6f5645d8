import { newId, type WorkspaceId } from "@cloud/access/values";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import {
  createPeerOutbox,
  createRecordOwner,
  type OwnedRecord,
  type Peer,
  recordsAmong,
  startPeer,
} from "@cloud/service/testing";

/** The workspace service as identity sees it. */
export interface WorkspacePeer extends Peer {
  /** Adds a live workspace and returns its id. */
  addWorkspace(organizationId: string): string;
  /** Deletes a workspace as the owner does: look-ups omit it at once, and the event is published. */
  deleteWorkspace(id: string): Promise<void>;
  /** Runs `action` once, after the next look-up has read its result and before it replies. */
  beforeNextAnswer(action: () => Promise<void>): void;
}

/** Starts a real server for the look-ups of identity, and a real relay for the events. */
export async function startWorkspacePeer(natsUrl: string): Promise<WorkspacePeer> {
  await using resources = new AsyncDisposableStack();
  const outbox = createPeerOutbox("workspace", natsUrl);
  resources.defer(() => outbox.stop());

  const live = new Map<string, OwnedRecord>();
  const owner = createRecordOwner({ [RecordKind.WORKSPACE]: live });
  let pending: (() => Promise<void>) | undefined;
  const peer = await startPeer({
    owner,
    services: [DirectoryService],
    routes: (router) => {
      router.service(DirectoryService, {
        async batchGetWorkspaces({ ids }) {
          const workspaces = recordsAmong(live, ids);
          const action = pending;
          pending = undefined;
          await action?.();
          return { workspaces };
        },
      });
    },
  });
  resources.defer(() => peer.stop());

  const running = resources.move();
  return {
    url: peer.url,
    addWorkspace: (organizationId) => {
      const id = newId<WorkspaceId>();
      live.set(id, { id, organizationId });
      return id;
    },
    deleteWorkspace: async (workspaceId) => {
      const organizationId = live.get(workspaceId)?.organizationId ?? "";
      live.delete(workspaceId);
      owner.deleted.add(workspaceId);
      await outbox.publish(WorkspaceDeletedSchema, { workspaceId, organizationId });
    },
    beforeNextAnswer: (action) => {
      pending = action;
    },
    stop: () => running.disposeAsync(),
  };
}
