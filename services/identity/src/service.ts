import { fileURLToPath } from "node:url";
import type { WorkspaceId } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { purgedLog } from "@cloud/postgres/migrations";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as WorkspaceDirectory } from "@cloud/proto/workspace/v1/directory_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { count, peerUrl } from "@cloud/runtime/settings";
import {
  type RunningService,
  type ServiceConfig,
  type ServiceDefinition,
  type ServiceSchema,
  serviceSettings,
  startService,
} from "@cloud/service";
import type { RecordAuthority, ReferenceSet } from "@cloud/service/references";
import { createClient } from "@connectrpc/connect";
import { recordRefusedCallers } from "./audit/record-audit-event.ts";
import { authenticateToken } from "./authentication/authenticate.ts";
import { workspaceDeleted } from "./events.ts";
import { createExpiryJob } from "./invitations/end-invitation.ts";
import { MAX_PENDING_INVITATIONS } from "./invitations/rules.ts";
import { createTeamDeletionJob } from "./organizations/delete-teams-of-organization.ts";
import { selectOrganization } from "./organizations/sql.ts";
import { registerRoutes, services } from "./routes.ts";
import { clearSelectionsOfWorkspaces, selectSelectedWorkspaceIdsAfter } from "./selections/preferences-sql.ts";
import {
  clearWorkspaceTombstone,
  selectWorkspaceTombstonesAfter,
  setWorkspaceTombstone,
} from "./selections/workspace-reference-sql.ts";

/** The schema of the service. Migrations decide which role has which permission. */
export const schema: ServiceSchema = {
  name: "identity",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["audit_events"],
  logs: [purgedLog("audit_events")],
  readOnly: ["roles", "permissions", "role_permissions", "members"],
};

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8083),
  WORKSPACE_URL: peerUrl().describe("the workspace service"),
  MAX_PENDING_INVITATIONS: count(MAX_PENDING_INVITATIONS).describe(
    "invitations of one organization that wait; more are refused",
  ),
};

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
>): ServiceDefinition<"workspace"> {
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
    owned: [RecordKind.ORGANIZATION, RecordKind.TEAM],
    peers: { workspace },
    // Identity authenticates callers itself; the other services call AuthService.
    build: (db, owners) => {
      const context = { db, workspace: directory, maxPendingInvitations };
      return {
        server: {
          routes: (router) => registerRoutes(router, context),
          authenticate: (bearer) => authenticateToken(db, bearer),
          recordRefused: (refused) => recordRefusedCallers(db, refused),
          organizationIsLive: async (organizationId) => (await selectOrganization(db, organizationId)) !== undefined,
        },
        effects: [workspaceDeleted(owners.workspace)],
        references: referencesOf(db, owners.workspace),
        jobs: [createExpiryJob(db), createTeamDeletionJob(db)],
      };
    },
  };
}

/** Returns the kinds of references that this service keeps to records of other services, for the reconciler. */
function referencesOf(db: Database, workspace: RecordAuthority): ReferenceSet[] {
  return [
    {
      name: "preferences-workspace",
      owner: workspace,
      record: RecordKind.WORKSPACE,
      inUse: (after, limit) => selectSelectedWorkspaceIdsAfter(db, after, limit),
      tombstones: (after, limit) => selectWorkspaceTombstonesAfter(db, after, limit),
      // The tombstone first, as in the effect of the event: it waits for a request that is selecting the workspace, and
      // the selection is cleared next.
      unlink: (id) =>
        db.transaction(async (tx) => {
          await setWorkspaceTombstone(tx, id as WorkspaceId);
          return await clearSelectionsOfWorkspaces(tx, [id as WorkspaceId]);
        }),
      clear: (tombstone) => clearWorkspaceTombstone(db, tombstone),
    },
  ];
}
