import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { migrationsOf } from "@cloud/service";
import { createTestDatabase, execute, openTestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { selectBootstrapState } from "../src/bootstrap/sql.ts";
import { schema } from "../src/service.ts";
import { type Fixture, startFixture } from "./fixture.ts";

let fixture: Fixture;
let organizationId: string;
beforeAll(async () => {
  fixture = await startFixture();
  organizationId = await fixture.createOrganization();
});
afterAll(() => fixture.stop());

const TAKEN = "409 EMAIL_TAKEN: a user with this email exists already";
const invite = async (email: string) =>
  (await fixture.service.invitations.createInvitation({ organizationId, email, roleNames: ["User"] })).invitation;

const ownInvitations = async ({ invitations }: Fixture["service"]) =>
  (await invitations.listInvitations({})).invitations.map(({ id }) => id);
/** The same address with some ASCII letters in upper case. */
const shouted = (email: string) => email.replace("example", "EXAMPLE");

describe.each([
  ["k and the KELVIN SIGN", "kise", "\u212aise"],
  ["i and I with a dot above", "ice", "\u0130ce"],
  ["i and the dotless i, whose upper case is I", "ian", "\u0131an"],
  ["s and the long s, whose upper case is S", "sam", "\u017fam"],
  ["\u00e4 and \u00c4", "b\u00e4r", "b\u00c4r"],
  ["\u03c3 and \u03c2", "\u03bf\u03c3", "\u03bf\u03c2"],
  ["one letter composed and decomposed", "jos\u00e9", "jose\u0301"],
])("%s differ in an address", (_what, local, similar) => {
  const addresses = () => {
    const domain = newId<UserId>() + ".example.test";
    return [`${local}@${domain}`, `${similar}@${domain}`] as const;
  };

  test("so each may be invited and registered, and has its own invitation", async () => {
    const [email, other] = addresses();
    const invitation = await invite(shouted(email));
    const otherInvitation = await invite(shouted(other));
    const stranger = await fixture.createPerson(other);
    const owner = await fixture.createPerson(email);
    expect(await ownInvitations(stranger)).toEqual([otherInvitation?.id]);
    expect(await ownInvitations(owner)).toEqual([invitation?.id]);
    expect(await refusal(stranger.invitations.acceptInvitation({ id: invitation?.id ?? "" }))).toMatch(/^404/);
    for (const taken of [email, other]) expect(await refusal(fixture.createPerson(shouted(taken)))).toBe(TAKEN);
  });

  test("so a member is another user, and so is that of a bootstrap", async () => {
    const [email, other] = addresses();
    const member = await fixture.createPerson(other);
    await fixture.service.organizations.setMemberRoles({ id: organizationId, userId: member.id, roleNames: ["User"] });
    expect(await invite(email)).toMatchObject({ status: "pending" });
    expect((await selectBootstrapState(fixture.db, email, null)).user).toBeUndefined();
    expect((await selectBootstrapState(fixture.db, shouted(other), null)).user?.id).toBe(member.id);
  });
});

describe("the migration", () => {
  test("refuses live users whose addresses become one, and names them", async () => {
    await using resources = new AsyncDisposableStack();
    const { db, apply } = await openBefore(resources);
    await execute(db, statement`drop index users_live_email`); // where I and i differ, as in Turkish, it has let them in
    const ids = [newId<UserId>(), newId<UserId>()];
    await execute(db, statement`insert into users (id, email) values ($1, 'kise@a.test'), ($2, 'KISE@a.test')`, ids);
    const refused = apply();
    await expect(refused).rejects.toThrow("0015_email_keys.sql failed");
    await expect(refused).rejects.toHaveProperty("cause.message", expect.stringContaining(ids.join(", ")));

    await execute(db, statement`update users set email = 'other@a.test' where id = $1`, [ids[0]]);
    await apply();
  });

  test("reports pending invitations that lose their user", async () => {
    await using resources = new AsyncDisposableStack();
    const { db, apply, lines } = await openBefore(resources);
    const [organization, kept, lost] = [newId<OrganizationId>(), newId<UserId>(), newId<UserId>()];
    await execute(db, statement`insert into organizations (id) values ($1)`, [organization]);
    await execute(db, statement`insert into users (id, email) values ($1, 'Ann@a.test'), ($2, 'BÄR@a.test')`, [
      kept,
      lost,
    ]);
    await execute(
      db,
      statement`
        insert into invitations (id, organization_id, email, role_names, expires_at)
        select id, $1, lower(email), '{User}', now() + interval '1 day'
        from users`,
      [organization],
    );
    await apply();
    const reported = lines.filter((line) => line.includes("pending invitations"));
    expect(reported).toEqual([expect.stringContaining(lost)]);
    expect(reported[0]).not.toContain(kept);
  });
});

/** Opens a schema that lacks the migrations of this rule. */
async function openBefore(resources: AsyncDisposableStack) {
  const database = await createTestDatabase("identity");
  resources.defer(() => database.drop());
  const lines: string[] = [];
  const log = { info: () => undefined, warn: (...line: unknown[]) => void lines.push(JSON.stringify(line)) };
  const place = { url: database.ownerUrl, schema: "identity", log };
  const before = await mkdtemp(path.join(tmpdir(), "migrations-"));
  resources.defer(() => rm(before, { recursive: true }));
  const isBefore = (file: string) => !/^00(1[5-9]|2)/.test(path.basename(file));
  await cp(schema.migrations, before, { recursive: true, filter: isBefore });
  await migrate({ ...place, sources: migrationsOf({ ...schema, migrations: before }) });
  const db = openTestDatabase(place);
  resources.defer(() => db.close());
  return { db, lines, apply: () => migrate({ ...place, sources: migrationsOf(schema) }) };
}
