import { fileURLToPath } from "node:url";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { peerUrl } from "@cloud/runtime/settings";
import {
  type RunningService,
  type ServiceConfig,
  type ServiceDefinition,
  type ServiceSchema,
  serviceSettings,
  startService,
} from "@cloud/service";
import { organizationReferences } from "@cloud/service/references";
import { createClient } from "@connectrpc/connect";
import { selectEnvironment } from "./environments/sql.ts";
import { nextDeletion, organizationDeleted, restoreNextOfOrganization as restoreNext } from "./events.ts";
import { registerRoutes, services } from "./routes.ts";

/** The schema of the service. */
export const schema: ServiceSchema = {
  name: "environment",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: [],
  logs: [],
  readOnly: [],
};

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8082),
  IDENTITY_URL: peerUrl().describe("the identity service"),
};

interface EnvironmentServiceConfig extends ServiceConfig {
  readonly identityUrl: string;
}

/** Starts the environment service: environments, connections, credentials, and the links between the first two. */
export function startEnvironmentService(config: EnvironmentServiceConfig): Promise<RunningService> {
  return startService(environmentParts(config), config);
}

/** Returns the parts of the environment service, for the program and for its operator. */
export function environmentParts({
  identityUrl: url,
  serviceToken,
  peerTls: tls,
  telemetry: { tracing, metrics },
}: Pick<
  EnvironmentServiceConfig,
  "identityUrl" | "serviceToken" | "peerTls" | "telemetry"
>): ServiceDefinition<"identity"> {
  const identity = createServiceTransport({
    url,
    serviceToken,
    tls,
    tracing,
    measured: { peer: "identity", metrics },
  });
  const directory = createClient(IdentityDirectory, identity);
  return {
    schema,
    services,
    owned: [RecordKind.ENVIRONMENT],
    peers: { identity },
    build: (db, owners) => {
      const context = { db, selectEnvironment: selectEnvironment(db), identity: directory };
      return {
        server: { routes: (router) => registerRoutes(router, context), ...createAuthenticator({ identity }) },
        effects: [organizationDeleted(owners.identity)],
        references: [
          organizationReferences(db, {
            name: "environment-organization",
            identity: owners.identity,
            nextDeletion,
            restoreNext,
          }),
        ],
      };
    },
  };
}
