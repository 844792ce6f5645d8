import { fileURLToPath } from "node:url";
import { effect } from "@cloud/messaging";
import { DirectoryService } from "@cloud/proto/workspace/v1/directory_service_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import { createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, startService } from "@cloud/service";
import { createClient } from "@connectrpc/connect";
import { authenticate } from "./authentication/authenticate.ts";
import { applyWorkspaceDeleted } from "./consumers/workspace-deleted.ts";
import { selectLiveOrganization } from "./organizations/organizations-sql.ts";
import { referencesOf } from "./references.ts";
import { routes, SERVICES } from "./routes.ts";

export interface IdentityServiceConfig extends ServiceConfig {
  readonly workspaceUrl: string;
}

/** The identity service: organizations, users, roles, teams, tokens, preferences; and the academy. */
export function startIdentityService(config: IdentityServiceConfig): Promise<RunningService> {
  const { workspaceUrl: url, serviceToken } = config;
  const workspace = createServiceTransport({ url, serviceToken });
  const workspaces = createClient(DirectoryService, workspace);
  return startService(
    {
      name: "identity",
      migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
      effects: [effect(WorkspaceDeletedSchema, applyWorkspaceDeleted)],
      services: SERVICES,
      peers: [workspace],
      // It needs nobody to find out who calls: it is the one who is asked.
      wire: (db) => ({
        server: {
          routes: routes({ db, workspaces }),
          authenticate: (bearer) => authenticate(db, bearer),
          organizationIsLive: async (organization) => (await selectLiveOrganization(db, organization)) !== undefined,
        },
        references: referencesOf({ db, workspaces }),
      }),
    },
    config,
  );
}
