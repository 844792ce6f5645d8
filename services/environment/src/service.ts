import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, type ServiceParts, startService } from "@cloud/service";
import { createClient } from "@connectrpc/connect";
import { organizationDeleted } from "./consumers/organization-deleted.ts";
import { selectEnvironment } from "./environments/environment-sql.ts";
import { localLinks } from "./links/local-links.ts";
import { referencesOf } from "./references.ts";
import { registerRoutes, services } from "./routes.ts";
import { schema } from "./schema.ts";

export interface EnvironmentServiceConfig extends ServiceConfig {
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
}: Pick<EnvironmentServiceConfig, "identityUrl" | "serviceToken" | "peerTls" | "telemetry">): ServiceParts<"identity"> {
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
    owned: { [RecordKind.ENVIRONMENT]: "environments" },
    peers: { identity },
    wire: (db, owners) => {
      const context = { db, selectEnvironment: selectEnvironment(db), identity: directory };
      return {
        server: { routes: (router) => registerRoutes(router, context), ...createAuthenticator({ identity }) },
        effects: [organizationDeleted(owners.identity)],
        kinds: referencesOf(db, owners),
        localLinks: [localLinks(db)],
      };
    },
  };
}
