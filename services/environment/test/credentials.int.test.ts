import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { present } from "@cloud/service/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { newConnection, newCredential } from "./records.ts";

const OVER = "x".repeat(256);
const manage = '403 PERMISSION_DENIED: permission "Manage Connections" is required';
const noCredential = "404 CREDENTIAL_NOT_FOUND: credential not found";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

describe("credentials", () => {
  test("are created and read as references, without a field for a secret", async () => {
    const { credential } = await fixture.admin.credentials.createCredential({
      organizationId: home,
      name: "n",
      type: "t",
    });
    expect(credential).toMatchObject({
      name: "n",
      type: "t",
      organizationId: home,
      owner: fixture.identity.users.admin,
    });
    const id = present(credential).id;
    expect((await fixture.member.credentials.getCredential({ id })).credential).toEqual(credential);
  });

  test("refuse malformed requests, missing permissions and foreign ids", async () => {
    const { credentials } = fixture.admin;
    expect(await refusal(credentials.createCredential({}))).toMatch(/^400 ORGANIZATION_ID_REQUIRED/);
    expect(await refusal(credentials.createCredential({ organizationId: "x" }))).toMatch(
      /^400 ORGANIZATION_ID_INVALID/,
    );
    for (const field of ["name", "type"]) {
      expect(await refusal(credentials.createCredential({ organizationId: home, [field]: OVER }))).toBe(
        `400 INVALID_PARAMETER: ${field} must be at most 255 characters`,
      );
    }
    expect(await refusal(fixture.member.credentials.createCredential({ organizationId: home }))).toBe(manage);
    const foreign = await newCredential(fixture, fixture.identity.abroad);
    for (const id of ["", "x", newId<OrganizationId>(), foreign.id]) {
      expect(await refusal(credentials.getCredential({ id }))).toBe(noCredential);
      expect(await refusal(credentials.deleteCredential({ id }))).toBe(noCredential);
    }
  });

  test("deletion clears the reference of the connections", async () => {
    const credential = await newCredential(fixture, home);
    const connection = await newConnection(fixture, home, { credentialId: credential.id });
    expect(await refusal(fixture.member.credentials.deleteCredential({ id: credential.id }))).toBe(manage);
    await fixture.admin.credentials.deleteCredential({ id: credential.id });
    const reread = await fixture.admin.connections.getConnection({ id: connection.id });
    expect(reread.connection).toMatchObject({ id: connection.id, credentialId: "" });
    expect(reread.connection?.etag).not.toBe(connection.etag);
    expect(await refusal(fixture.admin.credentials.deleteCredential({ id: credential.id }))).toBe(noCredential);
  });
});
