import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { present } from "@cloud/service/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { linkCount, newConnection, newCredential, newEnvironment } from "./records.ts";

const OVER = "x".repeat(256);
const manage = '403 PERMISSION_DENIED: permission "Manage Connections" is required';
const noConnection = "404 CONNECTION_NOT_FOUND: connection not found";
const noCredential = "404 CREDENTIAL_NOT_FOUND: credential not found";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

describe("createConnection", () => {
  test("stores every field, with the caller as owner whatever the request names", async () => {
    const credential = await newCredential(fixture, home);
    const metadata = { region: "eu", nested: { list: [1, true, null, "a\u0000b"], "k\u0000": "v" } };
    const fields = {
      name: "db",
      description: "d",
      kind: "k",
      type: "t",
      status: "connected",
      credentialId: credential.id,
    };
    const request = { organizationId: home, ...fields, metadata, owner: fixture.identity.users.member };
    const { connection } = await fixture.admin.connections.createConnection(request);
    expect(connection).toMatchObject({ ...fields, organizationId: home, owner: fixture.identity.users.admin });
    expect(connection?.metadata).toEqual({ region: "eu", nested: { list: [1, true, null, "ab"], k: "v" } });
    const id = present(connection).id;
    expect((await fixture.member.connections.getConnection({ id })).connection).toEqual(connection);
    const inItsName = await fixture.service.connections.createConnection(request);
    expect(inItsName.connection?.owner).toBe(fixture.identity.users.member);
  });

  test.each(["name", "description", "kind", "type", "status"])("refuses a %s over 255 characters", async (field) => {
    expect(await refusal(fixture.admin.connections.createConnection({ organizationId: home, [field]: OVER }))).toBe(
      `400 INVALID_PARAMETER: ${field} must be at most 255 characters`,
    );
  });

  test("refuses metadata over 64 KiB as JSON", async () => {
    const request = { organizationId: home, metadata: { text: "x".repeat(2 ** 16) } };
    expect(await refusal(fixture.admin.connections.createConnection(request))).toBe(
      "400 INVALID_PARAMETER: metadata must be a JSON object of at most 64 KiB",
    );
  });

  test("refuses a credential that is malformed, missing, deleted or foreign", async () => {
    const deleted = await newCredential(fixture, home);
    await fixture.admin.credentials.deleteCredential({ id: deleted.id });
    const foreign = await newCredential(fixture, fixture.identity.abroad);
    for (const credentialId of ["x", newId<OrganizationId>(), deleted.id, foreign.id]) {
      const request = { organizationId: home, credentialId };
      expect(await refusal(fixture.admin.connections.createConnection(request))).toBe(noCredential);
    }
  });

  test("checks the organization and the permission", async () => {
    const { connections } = fixture.admin;
    expect(await refusal(connections.createConnection({}))).toMatch(/^400 ORGANIZATION_ID_REQUIRED/);
    expect(await refusal(connections.createConnection({ organizationId: "x" }))).toMatch(
      /^400 ORGANIZATION_ID_INVALID/,
    );
    for (const clients of [fixture.member, fixture.outsider]) {
      expect(await refusal(clients.connections.createConnection({ organizationId: home }))).toBe(manage);
    }
    const nowhere = { organizationId: newId<OrganizationId>() };
    expect(await refusal(fixture.service.connections.createConnection(nowhere))).toMatch(/^404 ORGANIZATION_NOT_FOUND/);
    expect(await refusal(fixture.provider.connections.createConnection(nowhere))).toBe(manage);
  });
});

describe("getConnection and deleteConnection", () => {
  test("malformed, missing and foreign ids are not found", async () => {
    const foreign = await newConnection(fixture, fixture.identity.abroad);
    for (const id of ["", "x", newId<OrganizationId>(), foreign.id]) {
      expect(await refusal(fixture.admin.connections.getConnection({ id }))).toBe(noConnection);
      expect(await refusal(fixture.admin.connections.deleteConnection({ id }))).toBe(noConnection);
    }
  });

  test("deletion deletes the links and keeps the environments", async () => {
    const [environment, connection] = [await newEnvironment(fixture, home), await newConnection(fixture, home)];
    const pair = { id: environment.id, connectionId: connection.id };
    await fixture.admin.environments.assignConnection(pair);
    const before = await linkCount(fixture);
    expect(await refusal(fixture.member.connections.deleteConnection({ id: connection.id }))).toBe(manage);
    await fixture.admin.connections.deleteConnection({ id: connection.id });
    expect(await linkCount(fixture)).toBe(before - 1);
    expect(await refusal(fixture.admin.connections.deleteConnection({ id: connection.id }))).toBe(noConnection);
    expect(await refusal(fixture.admin.environments.assignConnection(pair))).toBe(noConnection);
    const { totalCount } = await fixture.member.environments.listEnvironmentConnections({ id: environment.id });
    expect(totalCount).toBe(0);
  });
});
