import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import type { Connection, Environment } from "@cloud/proto/environment/v1/records_pb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { eventsAbout, newConnection, newEnvironment, newPlatformEnvironment } from "./records.ts";

const noEnvironment = "404 ENVIRONMENT_NOT_FOUND: environment not found";
const noConnection = "404 CONNECTION_NOT_FOUND: connection not found";
const noAssignment = "404 CONNECTION_ASSIGNMENT_NOT_FOUND: no such connection assignment";
const notAssignable = "403 CONNECTION_NOT_ASSIGNABLE: this connection cannot be assigned to this environment";

let fixture: Fixture;
let home: OrganizationId;
let environment: Environment;
let connection: Connection;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  environment = await newEnvironment(fixture, home);
  connection = await newConnection(fixture, home);
});

describe("assignConnection", () => {
  test("returns the link, the same one again when repeated, and publishes one event", async () => {
    const pair = { id: environment.id, connectionId: connection.id };
    const first = await fixture.admin.environments.assignConnection(pair);
    expect(first.assignment).toMatchObject({ environmentId: environment.id, connectionId: connection.id });
    expect(first.assignment?.deletedAt).toBeUndefined();
    expect(await fixture.admin.environments.assignConnection(pair)).toEqual(first);
    expect(await fixture.provider.environments.assignConnection(pair)).toEqual(first);
    expect(await eventsAbout(fixture, environment.id)).toEqual(["environment.v1.ConnectionAssigned"]);
  });

  test("checks environment, permission, platform-provisioned, existence of the connection, rules: in that order", async () => {
    const assign = (clients = fixture.admin, pair = {}) =>
      refusal(clients.environments.assignConnection({ id: environment.id, connectionId: connection.id, ...pair }));
    const foreign = await newConnection(fixture, fixture.identity.abroad);
    const platform = await newPlatformEnvironment(fixture, home);

    for (const id of ["x", newId<OrganizationId>()]) {
      expect(await assign(fixture.admin, { id, connectionId: "x" })).toBe(noEnvironment);
    }
    expect(await assign(fixture.outsider)).toBe(noEnvironment);
    expect(await assign(fixture.member, { connectionId: "x" })).toBe(
      '403 PERMISSION_DENIED: permission "Assign connections to environment" is required',
    );
    for (const connectionId of ["", "x", newId<OrganizationId>()]) {
      expect(await assign(fixture.admin, { connectionId })).toBe(noConnection);
      expect(await assign(fixture.admin, { id: platform.id, connectionId })).toBe(notAssignable);
    }
    expect(await assign(fixture.admin, { connectionId: foreign.id })).toBe(notAssignable);
    expect(await assign(fixture.admin, { id: platform.id })).toBe(notAssignable);
    expect(await assign(fixture.service, { id: platform.id })).toBe(notAssignable);
  });
});

describe("removeConnection", () => {
  test("deletes the link once and publishes an event", async () => {
    const pair = { id: environment.id, connectionId: connection.id };
    const { assignment } = await fixture.admin.environments.assignConnection(pair);
    await fixture.admin.environments.removeConnection(pair);
    expect(await refusal(fixture.admin.environments.removeConnection(pair))).toBe(noAssignment);
    expect(await eventsAbout(fixture, environment.id)).toEqual([
      "environment.v1.ConnectionAssigned",
      "environment.v1.ConnectionUnassigned",
    ]);
    const again = await fixture.admin.environments.assignConnection(pair);
    expect(again.assignment?.id).not.toBe(assignment?.id);
  });

  test("checks environment, permission, platform-provisioned, link: in that order", async () => {
    const remove = (clients = fixture.admin, pair = {}) =>
      refusal(clients.environments.removeConnection({ id: environment.id, connectionId: connection.id, ...pair }));
    const platform = await newPlatformEnvironment(fixture, home);

    expect(await remove(fixture.admin, { id: "x" })).toBe(noEnvironment);
    expect(await remove(fixture.outsider)).toBe(noEnvironment);
    expect(await remove(fixture.member)).toBe(
      '403 PERMISSION_DENIED: permission "Remove connections from environment" is required',
    );
    expect(await remove(fixture.admin, { id: platform.id, connectionId: "x" })).toBe(
      "403 CONNECTION_NOT_DETACHABLE: this connection cannot be detached from this environment",
    );
    for (const connectionId of ["", "x", newId<OrganizationId>(), connection.id]) {
      expect(await remove(fixture.admin, { connectionId })).toBe(noAssignment);
    }
  });
});

describe("listEnvironmentConnections", () => {
  const list = async (request: object, clients = fixture.member) => {
    const reply = await clients.environments.listEnvironmentConnections({ id: environment.id, ...request });
    return reply.connections.map(({ name }) => name);
  };

  test("lists the linked connections, or the other live ones of the organization", async () => {
    const [b, a, c] = [
      await newConnection(fixture, home, { name: "b-listed", description: "first" }),
      await newConnection(fixture, home, { name: "a-listed", description: "second" }),
      await newConnection(fixture, home, { name: "c-listed" }),
    ];
    await newConnection(fixture, fixture.identity.abroad, { name: "x-listed" });
    for (const { id } of [b, a]) {
      await fixture.admin.environments.assignConnection({ id: environment.id, connectionId: id });
    }
    expect(await list({})).toEqual(["a-listed", "b-listed"]);
    expect(await list({ filter: { assigned: true }, order: "name desc" })).toEqual(["b-listed", "a-listed"]);
    expect(await list({ order: "name" })).toEqual(["a-listed", "b-listed"]);
    expect(await list({ order: "created_at asc", pageSize: 1n, page: 1n })).toEqual(["a-listed"]);
    expect(await list({ search: "FIRST" })).toEqual(["b-listed"]);
    expect(await list({ filter: { assigned: false }, search: "listed" })).toEqual(["c-listed"]);

    await fixture.admin.environments.removeConnection({ id: environment.id, connectionId: a.id });
    await fixture.admin.connections.deleteConnection({ id: c.id });
    expect(await list({})).toEqual(["b-listed"]);
    expect(await list({ filter: { assigned: false }, search: "listed" })).toEqual(["a-listed"]);
    const past = await fixture.member.environments.listEnvironmentConnections({ id: environment.id, page: 5n });
    expect(past).toMatchObject({ page: 5, pageSize: 25, totalCount: 1, connections: [] });
  });

  test("refuses a malformed order, unknown environments and outsiders", async () => {
    expect(await refusal(list({ order: "description" }))).toMatch(/^400 INVALID_PARAMETER: order must be /);
    expect(await refusal(list({ id: "x" }))).toBe(noEnvironment);
    expect(await refusal(list({}, fixture.outsider))).toBe(noEnvironment);
  });
});
