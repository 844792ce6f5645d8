import { fileURLToPath } from "node:url";
import type { Id } from "@cloud/access/values";
import type { Database } from "@cloud/postgres";
import { purgedLog } from "@cloud/postgres/migrations";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { createAuthenticator, createServiceTransport } from "@cloud/rpc";
import { count, peerUrl } from "@cloud/runtime/settings";
import {
  type RunningService,
  type ServiceConfig,
  type ServiceDefinition,
  type ServiceSchema,
  serviceSettings,
  startService,
} from "@cloud/service";
import { organizationReferences, type RecordAuthority, type ReferenceSet } from "@cloud/service/references";
import { createClient } from "@connectrpc/connect";
import { createExportPlaces } from "./activity/export-organization-events.ts";
import {
  environmentDeleted,
  nextDeletion,
  organizationCreated,
  organizationDeleted,
  restoreNextOfOrganization as restoreNext,
  teamDeleted,
} from "./events.ts";
import { peerPages } from "./links/linked-page.ts";
import { selectLinkedWorkspace } from "./links/linked-workspace-sql.ts";
import { peerRecords } from "./links/peer-records.ts";
import { type PeerResource, selectReferenceTombstonesAfter } from "./links/reference-sql.ts";
import { selectLinkedIdsAfter } from "./links/sql.ts";
import { restoreReference, unlinkResources } from "./links/unlink.ts";
import { registerRoutes, services } from "./routes.ts";
import { createWatchHub, DEFAULT_WATCH_LIMITS, type WatchLimits } from "./watches/watch-hub.ts";
import { selectWorkspace } from "./workspaces/sql.ts";

/** The schema of the service. The program never changes the activity log, and only triggers count links. */
export const schema: ServiceSchema = {
  name: "workspace",
  migrations: fileURLToPath(new URL("../migrations", import.meta.url)),
  appendOnly: ["activity_events"],
  logs: [purgedLog("activity_events")],
  readOnly: ["link_states", "link_changes"],
};

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8081),
  IDENTITY_URL: peerUrl().describe("the identity service"),
  ENVIRONMENT_URL: peerUrl().describe("the environment service"),
  MAX_WATCHES: count(DEFAULT_WATCH_LIMITS.max).describe("watches of a replica at the same time; more are refused"),
  MAX_WATCHES_PER_USER: count(DEFAULT_WATCH_LIMITS.maxPerUser).describe("of them, of one user"),
};

interface WorkspaceServiceConfig extends ServiceConfig {
  readonly identityUrl: string;
  readonly environmentUrl: string;
  /** The limits of watches; `DEFAULT_WATCH_LIMITS` if absent. */
  readonly watchLimits?: WatchLimits;
}

/** Starts the workspace service: workspaces, designs, views, the links of workspaces, the activity log. */
export function startWorkspaceService(config: WorkspaceServiceConfig): Promise<RunningService> {
  return startService(workspaceParts(config), config);
}

type WorkspaceParts = ServiceDefinition<"identity" | "environment">;

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
    owned: [RecordKind.WORKSPACE],
    peers,
    signalsCommits: true,
    build: (db, owners, commits) => {
      const watches = createWatchHub(db, commits, telemetry, watchLimits);
      const context = {
        db,
        selectWorkspace: selectWorkspace(db),
        selectLinkedWorkspace: selectLinkedWorkspace(db),
        ...directories,
        peerRecords: peerRecords(directories),
        pages: peerPages(peers),
        watches,
        exportPlaces: createExportPlaces(telemetry),
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
        references: referencesOf(db, owners),
        endStreams: watches.stop,
      };
    },
  };
}

export interface Authorities {
  readonly identity: RecordAuthority;
  readonly environment: RecordAuthority;
}

/** Returns the kinds of references that this service keeps to records of other services, for the reconciler. */
export function referencesOf(db: Database, { identity, environment }: Authorities): ReferenceSet[] {
  const linked = (kind: PeerResource) => ({
    inUse: (after: string, limit: number) => selectLinkedIdsAfter(db, kind, after, limit),
    tombstones: (after: string, limit: number) => selectReferenceTombstonesAfter(db, kind, after, limit),
    unlink: async (id: string) =>
      (await db.transaction((tx) => unlinkResources(tx, kind, [{ id: id as Id, actor: "" }]))) > 0,
    clear: (tombstone: Parameters<ReferenceSet["clear"]>[0]) =>
      db.transaction((tx) => restoreReference(tx, kind, tombstone)),
  });
  return [
    { name: "workspace-team", owner: identity, record: RecordKind.TEAM, ...linked("team") },
    { name: "workspace-environment", owner: environment, record: RecordKind.ENVIRONMENT, ...linked("environment") },
    organizationReferences(db, { name: "workspace-organization", identity, nextDeletion, restoreNext }),
  ];
}
