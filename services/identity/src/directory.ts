import type { Caller } from "@cloud/access";
import { packIds, parseSelectionParameters } from "@cloud/access/lists";
import { isId, type OrganizationId, parseIds, type TeamId, type UserId } from "@cloud/access/values";
import {
  type BatchGetOrganizationsRequest,
  type BatchGetTeamsRequest,
  type ListLiveOrganizationIdsRequest,
  type ListUserTeamIdsRequest,
  type SelectTeamsAmongRequest,
  SelectTeamsAmongResponseSchema,
  type SelectTeamsRequest,
  SelectTeamsResponseSchema,
} from "@cloud/proto/identity/v1/directory_service_pb";
import { pageEncoder } from "@cloud/service/records";
import type { Context } from "./context.ts";
import { selectLiveOrganizationIds, selectOrganizations } from "./organizations/sql.ts";
import { selectTeamIdsOfUser } from "./teams/member-sql.ts";
import { selectTeamPageAmong, selectTeamRows, teamColumns } from "./teams/sql.ts";
import { organizationToProto, teamToProto } from "./to-proto.ts";

// The handlers of DirectoryService, by which other services look up organizations and teams.

/** Returns the live organizations among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetOrganizations(context: Context, _caller: Caller, request: BatchGetOrganizationsRequest) {
  const rows = await selectOrganizations(context.db, parseIds<OrganizationId>(request.ids));
  return { organizations: rows.map(organizationToProto) };
}

/** Returns the live teams among the ids; omits all others. @throws INVALID_PARAMETER above 1,000 ids. */
export async function batchGetTeams(context: Context, _caller: Caller, request: BatchGetTeamsRequest) {
  const rows = await selectTeamRows(context.db, parseIds<TeamId>(request.ids));
  return { teams: rows.map(teamToProto) };
}

export async function listLiveOrganizationIds(
  context: Context,
  _caller: Caller,
  _request: ListLiveOrganizationIdsRequest,
) {
  return { organizationIds: await selectLiveOrganizationIds(context.db) };
}

/** Returns the ids of a user's live teams; an unknown or malformed user id yields an empty list. */
export async function listUserTeamIds(context: Context, _caller: Caller, request: ListUserTeamIdsRequest) {
  if (!isId(request.userId)) {
    return { teamIds: [] };
  }
  return { teamIds: await selectTeamIdsOfUser(context.db, request.userId as UserId) };
}

const encodeTexts = pageEncoder(SelectTeamsResponseSchema, teamColumns);

/** Returns the page of `selectTeamsAmong` to a workspace service of the release before. */
export async function selectTeams(context: Context, _caller: Caller, request: SelectTeamsRequest) {
  const selection = parseSelectionParameters({ ...request, ids: packIds(request.ids) });
  return encodeTexts(selection.query, await selectTeamPageAmong(context.db, selection));
}

const encode = pageEncoder(SelectTeamsAmongResponseSchema, teamColumns);

/** Returns a page of the organization's live teams among the ids, or of the others, for a workspace's lists. */
export async function selectTeamsAmong(context: Context, _caller: Caller, request: SelectTeamsAmongRequest) {
  const selection = parseSelectionParameters(request);
  return encode(selection.query, await selectTeamPageAmong(context.db, selection));
}
