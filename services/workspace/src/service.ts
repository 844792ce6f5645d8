import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { type RunningService, type ServiceConfig, type ServiceParts, startService } from "@cloud/service";
import { createClient } from "@connectrpc/connect";
import { environmentDeleted } from "./consumers/environment-deleted.ts";
import { organizationCreated } from "./consumers/organization-created.ts";
import { organizationDeleted } from "./consumers/organization-deleted.ts";
import { teamDeleted } from "./consumers/team-deleted.ts";
import { selectLinkedWorkspace } from "./links/linked-workspace-sql.ts";
import { localLinks } from "./links/local-links.ts";
import { peerPages } from "./links/peer-pages.ts";
import { referencesOf } from "./references.ts";
import { registerRoutes, services } from "./routes.ts";
import { schema } from "./schema.ts";
import { createWatchHub, type WatchLimits } from "./watches/watch-hub.ts";
import { selectWorkspace } from "./workspaces/workspace-sql.ts";

export interface WorkspaceServiceConfig extends ServiceConfig {
  readonly identityUrl: string;
  readonly environmentUrl: string;
  /** Defaults if absent. */
  readonly watchLimits?: WatchLimits;
}

/** Starts the workspace service: workspaces, designs, views, the links of workspaces, the activity log. */
export function startWorkspaceService(config: WorkspaceServiceConfig): Promise<RunningService> {
  return startService(workspaceParts(config), config);
}

export type WorkspaceParts = ServiceParts<"identity" | "environment">;

/** Returns the parts of the service, for the program and the operator's commands. */
export function workspaceParts({
  serviceToken,
  identityUrl,
  environmentUrl,
  peerTls: tls,
  watchLimits,
  telemetry,
}: Pick<
  WorkspaceServiceConfig,
  "serviceToken" | "identityUrl" | "environmentUrl" | "peerTls" | "watchLimits" | "telemetry"
>): WorkspaceParts {
  const { tracing, metrics } = telemetry;
  const reach = (peer: string, url: string) =>
    createServiceTransport({ url, serviceToken, tls, tracing, measured: { peer, metrics } });
  const peers = { identity: reach("identity", identityUrl), environment: reach("environment", environmentUrl) };
  const directories = {
    identity: createClient(IdentityDirectory, peers.identity),
    environment: createClient(EnvironmentDirectory, peers.environment),
  };
  return {
    schema,
    services,
    owned: { [RecordKind.WORKSPACE]: "workspaces" },
    peers,
    signalsCommits: true,
    wire: (db, owners, commits) => {
      const watches = createWatchHub(db, commits, telemetry, watchLimits);
      const context = {
        db,
        selectWorkspace: selectWorkspace(db),
        selectLinkedWorkspace: selectLinkedWorkspace(db),
        ...directories,
        pages: peerPages(peers),
        watches,
        log: telemetry.log,
      };
      return {
        server: {
          routes: (router) => registerRoutes(router, context),
          ...createAuthenticator({ identity: peers.identity }),
        },
        effects: [
          organizationCreated,
          organizationDeleted(owners.identity),
          environmentDeleted(owners.environment),
          teamDeleted(owners.identity),
        ],
        kinds: referencesOf(db, owners),
        localLinks: [localLinks(db)],
        endStreams: watches.stop,
      };
    },
  };
}
