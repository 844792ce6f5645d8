import { outdated, refuse, refuseUser } from "./refusals.ts";
import { inFirst, list } from "./requests.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const organizations: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.OrganizationService/CreateOrganization": {
    succeeds: { name: "$tag", description: "Made by a surface" },
    fails: [
      refuse("INVALID_PARAMETER", { name: "$long" }),
      { as: "service", reason: "USER_NOT_FOUND", request: { owner: "$nowhere" } },
    ],
  },
  "identity.v1.OrganizationService/GetOrganization": {
    given: ["organization"],
    succeeds: { id: "$organization" },
    fails: [refuse("ORGANIZATION_NOT_FOUND", { id: "$second" })],
  },
  "identity.v1.OrganizationService/ListOrganizations": {
    given: ["organization"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "name" })],
  },
  "identity.v1.OrganizationService/UpdateOrganization": {
    given: ["organization"],
    succeeds: { id: "$organization", description: "Changed" },
    fails: [
      outdated({ id: "$organization", name: "$tag" }),
      refuse("INVALID_PARAMETER", { id: "$organization", name: "$long" }),
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second", name: "$tag" }),
      refuseUser({ id: "$first", name: "$tag" }),
    ],
  },
  "identity.v1.OrganizationService/ListMembers": {
    given: ["organization", "memberOfOrganization"],
    succeeds: { id: "$organization", order: "updated_at asc", page: 0, pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$organization", order: "name" }),
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second" }),
    ],
  },
  "identity.v1.OrganizationService/ListOwnPermissions": {
    as: "user",
    succeeds: { id: "$first", search: "view", page: 0, pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$first", page: -1 }),
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second" }),
    ],
  },
  "identity.v1.OrganizationService/ListRoles": {
    as: "user",
    succeeds: { id: "$first", search: "admin" },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$first", pageSize: -1 }),
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second" }),
    ],
  },
  "identity.v1.OrganizationService/DeleteOrganization": {
    given: ["organization"],
    succeeds: { id: "$organization" },
    fails: [
      outdated({ id: "$organization" }),
      refuse("ORGANIZATION_NOT_FOUND", { id: "$second" }),
      refuseUser({ id: "$first" }),
      // The demo's only Provider Admin is a member of it.
      refuse("LAST_PROVIDER_ADMIN", { id: "$first" }),
    ],
  },
  "identity.v1.OrganizationService/SetMemberRoles": {
    given: ["organization", "memberOfOrganization"],
    succeeds: { id: "$organization", userId: "$teamAdmin", roleNames: ["Team Admin", "User"] },
    fails: [
      refuse("INVALID_PARAMETER", { id: "$organization", userId: "$teamAdmin", roleNames: ["King"] }),
      refuse("PERMISSION_DENIED", { id: "$organization", userId: "$teamAdmin", roleNames: ["Provider Admin"] }),
      refuse("MEMBER_NOT_FOUND", { id: "$organization", userId: "$outsider", roleNames: ["User"] }),
      {
        as: "providerAdmin",
        reason: "USER_NOT_FOUND",
        request: { id: "$organization", userId: "$nowhere", roleNames: ["User"] },
      },
      refuse("LAST_ORG_ADMIN", { id: "$organization", userId: "$orgAdmin", roleNames: ["User"] }),
      {
        as: "providerAdmin",
        reason: "LAST_PROVIDER_ADMIN",
        request: { id: "$first", userId: "$providerAdmin", roleNames: ["User"] },
      },
      refuse("ORGANIZATION_NOT_FOUND", { id: "$nowhere", userId: "$teamAdmin", roleNames: ["User"] }),
    ],
  },
  "identity.v1.OrganizationService/RemoveMember": {
    given: ["organization", "memberOfOrganization"],
    succeeds: { id: "$organization", userId: "$teamAdmin" },
    fails: [
      refuse("MEMBER_NOT_FOUND", { id: "$organization", userId: "$outsider" }),
      refuse("LAST_ORG_ADMIN", { id: "$organization", userId: "$orgAdmin" }),
      { as: "providerAdmin", reason: "LAST_PROVIDER_ADMIN", request: { id: "$first", userId: "$providerAdmin" } },
      refuse("ORGANIZATION_NOT_FOUND", { id: "$nowhere", userId: "$teamAdmin" }),
    ],
  },
  "identity.v1.TeamService/CreateTeam": {
    as: "teamAdmin",
    succeeds: inFirst,
    fails: [
      refuse("ORGANIZATION_ID_REQUIRED", { name: "$tag" }),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      refuse("INVALID_PARAMETER", { ...inFirst, name: "$long" }),
    ],
  },
  "identity.v1.TeamService/GetTeam": {
    given: ["team"],
    succeeds: { id: "$team" },
    fails: [refuse("TEAM_NOT_FOUND", { id: "$foreignTeam" })],
  },
  "identity.v1.TeamService/ListTeams": {
    given: ["team"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("PERMISSION_DENIED", { orgId: "all" }),
      refuse("ORG_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "identity.v1.TeamService/UpdateTeam": {
    given: ["team"],
    succeeds: { id: "$team", name: "Renamed" },
    fails: [
      outdated({ id: "$team", name: "$tag" }),
      refuse("INVALID_PARAMETER", { id: "$team", description: "$long" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", name: "Renamed" }),
    ],
  },
  "identity.v1.TeamService/DeleteTeam": {
    given: ["team"],
    succeeds: { id: "$team" },
    fails: [outdated({ id: "$team" }), refuseUser({ id: "$team" }), refuse("TEAM_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.TeamService/ListTeamMembers": {
    given: ["team", "memberOfTeam"],
    succeeds: { id: "$team", order: "created_at asc", page: 0, pageSize: 10 },
    fails: [refuse("INVALID_PARAMETER", { id: "$team", order: "name" }), refuse("TEAM_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.TeamService/AddTeamMember": {
    given: ["team"],
    succeeds: { id: "$team", userId: "$user" },
    fails: [
      refuse("USER_NOT_FOUND", { id: "$team", userId: "$outsider" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", userId: "$user" }),
    ],
  },
  "identity.v1.TeamService/RemoveTeamMember": {
    given: ["team", "memberOfTeam"],
    succeeds: { id: "$team", userId: "$user" },
    fails: [
      refuse("TEAM_MEMBER_NOT_FOUND", { id: "$team", userId: "$outsider" }),
      refuse("TEAM_NOT_FOUND", { id: "$nowhere", userId: "$user" }),
    ],
  },
};
