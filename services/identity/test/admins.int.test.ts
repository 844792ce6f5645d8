import { refusal } from "@cloud/access/testing";
import { sql, statement } from "@cloud/postgres";
import { countRows } from "@cloud/service/testing";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const LAST_ORG_ADMIN = "409 LAST_ORG_ADMIN: an organization needs an Org Admin";
const LAST_PROVIDER_ADMIN = "409 LAST_PROVIDER_ADMIN: the system needs a Provider Admin";

let fixture: Fixture;
let organization: string;
let orgAdmin: Person;
let provider: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  await execute(fixture.db, statement`delete from memberships`);
  organization = await fixture.createOrganization();
  orgAdmin = await fixture.createMember(organization, "Org Admin", "User");
  provider = await fixture.createMember(organization, "Provider Admin");
});
afterAll(() => fixture.stop());

const setRoles = (who: Fixture["service"], userId: string, ...roleNames: string[]) =>
  refusal(who.organizations.setMemberRoles({ id: organization, userId, roleNames }));
const remove = (who: Fixture["service"], userId: string) =>
  refusal(who.organizations.removeMember({ id: organization, userId }));
const holders = (role: string) => countRows(fixture.db, sql`memberships where role_name = $1`, [role]);

test("the last Org Admin of an organization is the one left by deleted users", async () => {
  const { id } = await fixture.createMember(organization, "Org Admin");
  await execute(fixture.db, statement`update users set deleted_at = now() where id = $1`, [id]);
  expect(await remove(orgAdmin, orgAdmin.id)).toBe(LAST_ORG_ADMIN);
});

describe("the last Provider Admin of the system", () => {
  test("stays one, whoever asks and however", async () => {
    for (const who of [provider, fixture.service]) {
      expect(await setRoles(who, provider.id, "User")).toBe(LAST_PROVIDER_ADMIN);
      expect(await remove(who, provider.id)).toBe(LAST_PROVIDER_ADMIN);
      expect(await refusal(who.organizations.deleteOrganization({ id: organization }))).toBe(LAST_PROVIDER_ADMIN);
    }
    expect(await refusal(orgAdmin.organizations.deleteOrganization({ id: organization }))).toBe(LAST_PROVIDER_ADMIN);
    expect(await setRoles(provider, provider.id, "Provider Admin", "User")).toBe("not refused");
  });

  test("may give the role up where they hold it in another live organization, too", async () => {
    const elsewhere = await fixture.createOrganization();
    const request = { id: elsewhere, userId: provider.id, roleNames: ["Provider Admin"] };
    await provider.organizations.setMemberRoles(request);
    expect(await remove(provider, provider.id)).toBe("not refused");
    organization = elsewhere;
    expect(await remove(provider, provider.id)).toBe(LAST_PROVIDER_ADMIN);
  });

  test("may leave when there is another one in any organization", async () => {
    await fixture.createMember(await fixture.createOrganization(), "Provider Admin");
    expect(await refusal(orgAdmin.organizations.deleteOrganization({ id: organization }))).toBe("not refused");
    expect(await holders("Provider Admin")).toBe(1);
  });
});
