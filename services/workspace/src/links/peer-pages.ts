import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  ListWorkspaceEnvironmentsResponseSchema,
  ListWorkspaceTeamsResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { forwardReply, type ServiceTransport } from "@cloud/rpc";

export type PeerPages = ReturnType<typeof peerPages>;

/**
 * Returns the calls for pages of records that are linked to a workspace or not, from the services that own them:
 * `ofIds` sends the ids of the links, `ofCopy` relies on the owner's copy of them.
 */
export function peerPages({ identity, environment }: Readonly<Record<"identity" | "environment", ServiceTransport>>) {
  const { selectTeams, selectLinkedTeams } = IdentityDirectory.method;
  const { selectEnvironments, selectLinkedEnvironments } = EnvironmentDirectory.method;
  const [teams, environments] = [ListWorkspaceTeamsResponseSchema, ListWorkspaceEnvironmentsResponseSchema];
  return {
    team: {
      kind: "team",
      ofIds: forwardReply(identity, selectTeams, teams),
      ofCopy: forwardReply(identity, selectLinkedTeams, teams),
    },
    environment: {
      kind: "environment",
      ofIds: forwardReply(environment, selectEnvironments, environments),
      ofCopy: forwardReply(environment, selectLinkedEnvironments, environments),
    },
  } as const;
}
