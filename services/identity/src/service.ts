import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as WorkspaceDirectory } from "@cloud/proto/workspace/v1/directory_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, type ServiceParts, startService } from "@cloud/service";
import { createClient } from "@connectrpc/connect";
import { recordRefusedCallers } from "./audit/record-refused-callers.ts";
import { authenticateToken } from "./authentication/authenticate-tokens.ts";
import { workspaceDeleted } from "./consumers/workspace-deleted.ts";
import { createExpiryPass } from "./invitations/expire-invitations.ts";
import { MAX_PENDING_INVITATIONS } from "./invitations/invitation-rules.ts";
import { createTeamDeletionPass } from "./organizations/delete-teams-of-organization.ts";
import { selectOrganization } from "./organizations/organization-sql.ts";
import { referencesOf } from "./references.ts";
import { registerRoutes, services } from "./routes.ts";
import { schema } from "./schema.ts";

export interface IdentityServiceConfig extends ServiceConfig {
  readonly workspaceUrl: string;
  /** The most pending invitations of one organization; 1,000 if absent. */
  readonly maxPendingInvitations?: number;
}

/** Starts the identity service: organizations, users, roles, teams, tokens, preferences; and the academy. */
export function startIdentityService(config: IdentityServiceConfig): Promise<RunningService> {
  return startService(identityParts(config), config);
}

/** Returns the parts of the identity service, for the program and for its operator. */
export function identityParts({
  workspaceUrl: url,
  serviceToken,
  peerTls: tls,
  maxPendingInvitations = MAX_PENDING_INVITATIONS,
  telemetry: { tracing, metrics },
}: Pick<
  IdentityServiceConfig,
  "workspaceUrl" | "serviceToken" | "peerTls" | "maxPendingInvitations" | "telemetry"
>): ServiceParts<"workspace"> {
  const workspace = createServiceTransport({
    url,
    serviceToken,
    tls,
    tracing,
    measured: { peer: "workspace", metrics },
  });
  const directory = createClient(WorkspaceDirectory, workspace);
  return {
    schema,
    services,
    owned: { [RecordKind.ORGANIZATION]: "organizations", [RecordKind.TEAM]: "teams" },
    peers: { workspace },
    // Authenticates callers itself; the other services call AuthService.
    wire: (db, owners) => {
      const context = { db, workspace: directory, maxPendingInvitations };
      return {
        server: {
          routes: (router) => registerRoutes(router, context),
          authenticate: (bearer) => authenticateToken(db, bearer),
          recordRefused: (refused) => recordRefusedCallers(db, refused),
          organizationIsLive: async (organizationId) => (await selectOrganization(db, organizationId)) !== undefined,
        },
        effects: [workspaceDeleted(owners.workspace)],
        kinds: referencesOf(db, owners),
        localLinks: [],
        passes: [createExpiryPass(db), createTeamDeletionPass(db)],
      };
    },
  };
}
