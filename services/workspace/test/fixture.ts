import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import type { Workspace } from "@cloud/proto/workspace/v1/records_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import {
  type Callers,
  type ClientsOf,
  callersOf,
  createClients,
  createPeerOutbox,
  type IdentityPeer,
  type PeerOutbox,
  present,
  startIdentityPeer,
  startTestService,
  type TestService,
} from "@cloud/service/testing";
import { startTestNats } from "@cloud/testkit";
import { startWorkspaceService } from "../src/service.ts";
import { type EnvironmentPeer, startEnvironmentPeer } from "./environment-peer.ts";

const services = {
  workspaces: WorkspaceService,
  designs: DesignService,
  views: ViewService,
  access: AccessService,
  directory: DirectoryService,
};

export type Clients = ClientsOf<typeof services>;

export interface Fixture extends TestService<Clients>, Callers<Clients> {
  readonly identity: IdentityPeer;
  readonly environment: EnvironmentPeer;
  /** Publishes an event as a peer does: through an outbox of its own, a relay and NATS. */
  readonly publish: PeerOutbox["publish"];
}

/** Starts the real service and a nats-server of its own, with peers. */
export async function startFixture(): Promise<Fixture> {
  await using resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const environment = await startEnvironmentPeer();
  resources.defer(() => environment.stop());
  const service = await startTestService({
    name: "workspace",
    services,
    start: (config) => startWorkspaceService({ ...config, identityUrl: identity.url, environmentUrl: environment.url }),
    natsUrl: nats.urlOf("workspace"),
  });
  resources.defer(() => service.stop());
  const { publish, stop } = createPeerOutbox("peer", nats.url);
  resources.defer(stop);
  const running = resources.move();
  const callers = callersOf(service.as);
  return { ...service, ...callers, identity, environment, publish, stop: () => running.disposeAsync() };
}

export function clientsFor(url: string, token: string): Clients {
  return createClients(services, url, token);
}

/** Creates a workspace that the test may change and delete. */
export async function newWorkspace(clients: Clients, organizationId: string, name = "scratch"): Promise<Workspace> {
  const { workspace } = await clients.workspaces.createWorkspace({ organizationId, name });
  return present(workspace);
}

/** Returns the log of a workspace, oldest first, each line as `action kind severity`. */
export async function logOf(clients: Clients, id: string): Promise<string[]> {
  const { data } = await clients.workspaces.listWorkspaceEvents({ id, order: "created_at asc", pageSize: 100n });
  return data.map((event) => [event.action, event.actedUponKind, event.severity].join(" "));
}
