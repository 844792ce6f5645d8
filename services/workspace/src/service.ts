import { fileURLToPath } from "node:url";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, startService } from "@cloud/service";
import { createClient } from "@connectrpc/connect";
import { environmentDeleted } from "./consumers/environment-deleted.ts";
import { organizationCreated } from "./consumers/organization-created.ts";
import { organizationDeleted } from "./consumers/organization-deleted.ts";
import { teamDeleted } from "./consumers/team-deleted.ts";
import { referencesOf } from "./references.ts";
import { registerRoutes, services } from "./routes.ts";

export interface WorkspaceServiceConfig extends ServiceConfig {
  readonly identityUrl: string;
  readonly environmentUrl: string;
}

/** The workspace service: workspaces, designs, views, the links of workspaces, the activity log. */
export function startWorkspaceService(config: WorkspaceServiceConfig): Promise<RunningService> {
  const { serviceToken, telemetry } = config;
  const identity = createServiceTransport({ url: config.identityUrl, serviceToken });
  const environment = createServiceTransport({ url: config.environmentUrl, serviceToken });
  const peers = {
    identity: createClient(IdentityDirectory, identity),
    environment: createClient(EnvironmentDirectory, environment),
  };
  const parts = {
    name: "workspace",
    migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
    effects: [organizationCreated, organizationDeleted, environmentDeleted, teamDeleted],
    services,
    peers: [identity, environment],
  };
  return startService(
    {
      ...parts,
      wire: (db) => {
        const context = { db, ...peers, log: telemetry.log };
        return {
          server: { routes: (router) => registerRoutes(router, context), ...createAuthenticator({ identity }) },
          references: referencesOf(context),
        };
      },
    },
    config,
  );
}
