import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  ListWorkspaceEnvironmentsResponseSchema,
  ListWorkspaceTeamsResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { forwardReply, type ServiceTransport } from "@cloud/rpc";

export type PeerPages = ReturnType<typeof peerPages>;

/** Returns the calls for pages of records that are linked to a workspace or not, to the services that own them. */
export function peerPages({ identity, environment }: Readonly<Record<"identity" | "environment", ServiceTransport>>) {
  const { selectTeams, selectTeamsAmong } = IdentityDirectory.method;
  const { selectEnvironments, selectEnvironmentsAmong } = EnvironmentDirectory.method;
  const [teams, environments] = [ListWorkspaceTeamsResponseSchema, ListWorkspaceEnvironmentsResponseSchema];
  return {
    team: {
      among: forwardReply(identity, selectTeamsAmong, teams),
      amongTexts: forwardReply(identity, selectTeams, teams),
    },
    environment: {
      among: forwardReply(environment, selectEnvironmentsAmong, environments),
      amongTexts: forwardReply(environment, selectEnvironments, environments),
    },
  } as const;
}
