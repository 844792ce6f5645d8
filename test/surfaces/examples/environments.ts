import { outdated, refuse, refuseUser } from "./refusals.ts";
import { inFirst, list } from "./requests.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const environments: Readonly<Record<string, SurfaceExample>> = {
  "environment.v1.EnvironmentService/CreateEnvironment": {
    succeeds: inFirst,
    fails: [refuse("ENVIRONMENT_CREATE_FAILED", { ...inFirst, description: "$long" }), refuseUser(inFirst)],
  },
  "environment.v1.EnvironmentService/ListEnvironments": {
    given: ["environment"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("PERMISSION_DENIED", { orgId: "$second" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.EnvironmentService/GetEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment" },
    fails: [refuse("ENVIRONMENT_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.EnvironmentService/UpdateEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment", description: "The name is gone" },
    fails: [
      outdated({ id: "$environment" }),
      refuse("ENVIRONMENT_UPDATE_FAILED", { id: "$environment", name: "$long" }),
    ],
  },
  "environment.v1.EnvironmentService/DeleteEnvironment": {
    given: ["environment"],
    succeeds: { id: "$environment" },
    fails: [
      outdated({ id: "$environment" }),
      refuse("ENVIRONMENT_NOT_DELETABLE", { id: "$platform" }),
      refuse("ENVIRONMENT_TO_DELETE_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
  "environment.v1.EnvironmentService/AssignConnection": {
    given: ["environment", "connection", "foreignConnection"],
    succeeds: { id: "$environment", connectionId: "$connection" },
    fails: [
      refuse("CONNECTION_NOT_ASSIGNABLE", { id: "$platform", connectionId: "$connection" }),
      refuse("CONNECTION_NOT_ASSIGNABLE", { id: "$environment", connectionId: "$foreignConnection" }),
    ],
  },
  "environment.v1.EnvironmentService/RemoveConnection": {
    given: ["environment", "connection", "connectionInEnvironment"],
    succeeds: { id: "$environment", connectionId: "$connection" },
    fails: [
      refuse("CONNECTION_NOT_DETACHABLE", { id: "$platform", connectionId: "$connection" }),
      refuse("CONNECTION_ASSIGNMENT_NOT_FOUND", { id: "$ordinary", connectionId: "$connection" }),
    ],
  },
  "environment.v1.EnvironmentService/ListEnvironmentConnections": {
    given: ["environment", "connection", "connectionInEnvironment"],
    succeeds: { id: "$environment", ...list, order: "name desc" },
    fails: [refuse("ENVIRONMENT_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.ConnectionService/CreateConnection": {
    given: ["credential"],
    succeeds: { ...inFirst, kind: "git", credentialId: "$credential", metadata: { a: [1, null, { b: true }] } },
    fails: [
      refuse("CREDENTIAL_NOT_FOUND", { ...inFirst, credentialId: "$nowhere" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      refuse("INVALID_PARAMETER", { ...inFirst, name: "$long" }),
    ],
  },
  "environment.v1.ConnectionService/GetConnection": {
    given: ["connection"],
    succeeds: { id: "$connection" },
    fails: [refuse("CONNECTION_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.ConnectionService/ListConnections": {
    given: ["connection"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("ORG_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.ConnectionService/UpdateConnection": {
    given: ["connection", "credential"],
    succeeds: { id: "$connection", status: "connected", credentialId: "$credential", metadata: { a: [1, null, {}] } },
    fails: [
      outdated({ id: "$connection", name: "$tag" }),
      refuse("CREDENTIAL_NOT_FOUND", { id: "$connection", credentialId: "$nowhere" }),
      refuse("INVALID_PARAMETER", { id: "$connection", name: "$long" }),
      refuseUser({ id: "$connection", name: "$tag" }),
      refuse("CONNECTION_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
  "environment.v1.ConnectionService/DeleteConnection": {
    given: ["connection"],
    succeeds: { id: "$connection" },
    fails: [
      outdated({ id: "$connection" }),
      refuseUser({ id: "$connection" }),
      refuse("CONNECTION_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
  "environment.v1.CredentialService/CreateCredential": {
    succeeds: { organizationId: "$first", name: "$tag", type: "token" },
    fails: [
      refuse("ORGANIZATION_ID_INVALID", { organizationId: "first" }),
      refuse("ORGANIZATION_ID_REQUIRED", {}),
      refuse("INVALID_PARAMETER", { organizationId: "$first", name: "$long" }),
    ],
  },
  "environment.v1.CredentialService/GetCredential": {
    given: ["credential"],
    succeeds: { id: "$credential" },
    fails: [refuse("CREDENTIAL_NOT_FOUND", { id: "$nowhere" })],
  },
  "environment.v1.CredentialService/ListCredentials": {
    given: ["credential"],
    succeeds: { orgId: "$first", ...list },
    fails: [
      refuse("INVALID_PARAMETER", { orgId: "$first", pageSize: -1 }),
      refuse("ORG_ID_REQUIRED", {}),
      { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
    ],
  },
  "environment.v1.CredentialService/DeleteCredential": {
    given: ["credential"],
    succeeds: { id: "$credential" },
    fails: [
      outdated({ id: "$credential" }),
      refuseUser({ id: "$credential" }),
      refuse("CREDENTIAL_NOT_FOUND", { id: "$nowhere" }),
    ],
  },
};
