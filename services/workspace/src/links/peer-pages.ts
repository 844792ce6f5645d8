import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  ListWorkspaceEnvironmentsResponseSchema,
  ListWorkspaceTeamsResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { forwardReply, type ServiceTransport } from "@cloud/rpc";

export type PeerPages = ReturnType<typeof peerPages>;

/** Returns the calls for pages of records that are linked to a workspace or not, from the services that own them. */
export function peerPages({ identity, environment }: Readonly<Record<"identity" | "environment", ServiceTransport>>) {
  const { selectTeams } = IdentityDirectory.method;
  const { selectEnvironments } = EnvironmentDirectory.method;
  return {
    teams: forwardReply(identity, selectTeams, ListWorkspaceTeamsResponseSchema),
    environments: forwardReply(environment, selectEnvironments, ListWorkspaceEnvironmentsResponseSchema),
  };
}
