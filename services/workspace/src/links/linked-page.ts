import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  ListWorkspaceEnvironmentsResponseSchema,
  ListWorkspaceTeamsResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { forwardReply, type ServiceTransport } from "@cloud/rpc";
import type { LinkedWorkspaceRow } from "./linked-workspace-sql.ts";

/** The parameters of a workspace's list that the owner of the records receives. */
interface LinkedQuery {
  readonly assigned: boolean;
  readonly search: string;
  readonly order: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

type SelectAmong<Ids, Reply> = (request: LinkedQuery & { organizationId: string; ids: Ids }) => Promise<Reply>;

/** The calls of the owner of one kind of record. */
export interface OwnerPages<Reply> {
  /** Takes the ids of the links, 16 bytes each. */
  readonly among: SelectAmong<Uint8Array, Reply>;
  /** Takes the ids as texts: the call of an owner of the release before. */
  readonly amongTexts: SelectAmong<string[], Reply>;
}

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

/**
 * Returns a page of the records that are linked to the workspace, or of the others, from the service that owns them. It
 * receives the ids of all links, so a change that either service has confirmed is visible at once (docs/adr/0005).
 */
export async function selectLinkedPage<Reply>(
  { among, amongTexts }: OwnerPages<Reply>,
  { organization_id: organizationId, resource_ids: ids }: LinkedWorkspaceRow,
  query: LinkedQuery,
): Promise<Reply> {
  const packed = ids ?? Buffer.alloc(0);
  try {
    return await among({ organizationId, ids: packed, ...query });
  } catch (error) {
    if (reasonOf(error) !== Reason.UNIMPLEMENTED) throw error;
    return await amongTexts({ organizationId, ids: textsOf(packed), ...query });
  }
}

function textsOf(packed: Buffer): string[] {
  const digits = packed.toString("hex").match(/.{32}/g) ?? [];
  return digits.map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}
