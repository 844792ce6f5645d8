import { fileURLToPath } from "node:url";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, startService } from "@cloud/service";
import { organizationDeleted } from "./consumers/organization-deleted.ts";
import { createOrganizations } from "./organizations/create-organizations.ts";
import { referencesOf } from "./references.ts";
import { registerRoutes, services } from "./routes.ts";

export interface EnvironmentServiceConfig extends ServiceConfig {
  readonly identityUrl: string;
}

/** The environment service: environments, connections, credentials, the links of environments. */
export function startEnvironmentService(config: EnvironmentServiceConfig): Promise<RunningService> {
  const identity = createServiceTransport({ url: config.identityUrl, serviceToken: config.serviceToken });
  const organizations = createOrganizations(identity);
  return startService(
    {
      name: "environment",
      migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
      effects: [organizationDeleted],
      services,
      peers: [identity],
      wire: (db) => {
        const context = { db, organizations };
        return {
          server: { routes: (router) => registerRoutes(router, context), ...createAuthenticator({ identity }) },
          references: referencesOf(context),
        };
      },
    },
    config,
  );
}
