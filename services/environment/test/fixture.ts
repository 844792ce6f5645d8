import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { DirectoryService } from "@cloud/proto/environment/v1/directory_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import {
  type Callers,
  type ClientsOf,
  callersOf,
  createClients,
  type IdentityPeer,
  startIdentityPeer,
  startTestService,
  type TestService,
} from "@cloud/service/testing";
import { startEnvironmentService } from "../src/service.ts";

const services = {
  environments: EnvironmentService,
  connections: ConnectionService,
  credentials: CredentialService,
  directory: DirectoryService,
};

export type Clients = ClientsOf<typeof services>;

export interface Fixture extends TestService<Clients>, Callers<Clients> {
  readonly identity: IdentityPeer;
}

/** Starts the real service with an identity peer. Without `natsUrl`, an in-process transport carries its events. */
export async function startFixture(events: { natsUrl?: string } = {}): Promise<Fixture> {
  await using resources = new AsyncDisposableStack();
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const service = await startTestService({
    name: "environment",
    services,
    start: (config) => startEnvironmentService({ ...config, identityUrl: identity.url }),
    ...events,
  });
  resources.defer(() => service.stop());
  const running = resources.move();
  return { ...service, ...callersOf(service.as), identity, stop: () => running.disposeAsync() };
}

/** Creates clients that send the token to an environment service at `url`. */
export function clientsFor(url: string, token: string): Clients {
  return createClients(services, url, token);
}
