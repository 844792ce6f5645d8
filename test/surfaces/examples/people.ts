import { outdated, refuse, refuseUser } from "./refusals.ts";
import { list } from "./requests.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const people: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.UserService/GetProfile": {
    as: "user",
    succeeds: {},
    fails: [{ as: "anonymous", request: {}, reason: "UNAUTHENTICATED" }],
  },
  "identity.v1.UserService/UpdatePreferences": {
    as: "workspaceAdmin",
    given: ["workspace"],
    succeeds: { selectedOrganization: "$first", selectedWorkspace: "$workspace" },
    fails: [
      refuse("ORGANIZATION_NOT_FOUND", { selectedOrganization: "$second" }),
      refuse("WORKSPACE_NOT_FOUND", { selectedOrganization: "$first", selectedWorkspace: "$nowhere" }),
    ],
  },
  "identity.v1.UserService/CreateUser": {
    as: "providerAdmin",
    given: ["person"],
    succeeds: { email: "$email", firstName: "Ada", lastName: "Lovelace" },
    fails: [
      refuse("INVALID_PARAMETER", { email: "nobody" }),
      refuse("EMAIL_TAKEN", { email: "$takenEmail" }),
      refuseUser({ email: "$email" }),
    ],
  },
  "identity.v1.UserService/GetUser": {
    as: "user",
    succeeds: { id: "$teamAdmin" },
    fails: [refuse("USER_NOT_FOUND", { id: "$outsider" })],
  },
  "identity.v1.TokenService/CreateToken": {
    succeeds: { name: "$tag" },
    fails: [
      refuse("INVALID_PARAMETER", { name: "$long" }),
      { as: "service", reason: "USER_NOT_FOUND", request: { name: "$tag", userId: "$nowhere" } },
    ],
  },
  "identity.v1.TokenService/GetToken": {
    given: ["token"],
    succeeds: { id: "$token" },
    fails: [refuse("TOKEN_NOT_FOUND", { id: "$nowhere" })],
  },
  "identity.v1.TokenService/ListTokens": {
    given: ["token"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "hint" })],
  },
  "identity.v1.TokenService/RevokeToken": {
    given: ["token"],
    succeeds: { id: "$token" },
    fails: [outdated({ id: "$token" }), refuse("TOKEN_NOT_FOUND", { id: "$nowhere" })],
  },
  "academy.v1.CurriculumService/ListCurricula": {
    as: "user",
    given: ["curriculum"],
    succeeds: list,
    fails: [refuse("INVALID_PARAMETER", { order: "title" })],
  },
  "academy.v1.CurriculumService/GetCurriculum": {
    as: "user",
    given: ["curriculum"],
    succeeds: { id: "$curriculum" },
    fails: [refuse("CURRICULUM_NOT_FOUND", { id: "$nowhere" })],
  },
  "academy.v1.CurriculumService/CreateCurriculum": {
    succeeds: { organizationId: "$first", title: "$tag", level: "beginner", visibility: "private" },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$first", title: "$long" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
    ],
  },
  "academy.v1.CurriculumService/RegisterForCurriculum": {
    as: "user",
    given: ["curriculum"],
    succeeds: { id: "$curriculum" },
    fails: [refuse("CURRICULUM_NOT_FOUND", { id: "$nowhere" })],
  },
};
