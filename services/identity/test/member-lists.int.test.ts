import { parseListParameters } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import { sql, statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { selectMembersOf } from "../src/members/sql.ts";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

let fixture: Fixture;
let organization: string;
let admin: Person;
let member: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organization = await fixture.createOrganization();
  admin = await fixture.createMember(organization, "Org Admin");
  member = await fixture.createMember(organization, "User");
});
afterAll(() => fixture.stop());

const list = async (who: Fixture["service"] = admin, search = "") =>
  await who.organizations.listMembers({ id: organization, order: "created_at asc", search });
const idsOf = async (who?: Fixture["service"], search?: string) =>
  (await list(who, search)).members.map(({ userId }) => userId);
const entryOf = async ({ id }: Person, who?: Fixture["service"]) =>
  (await list(who)).members.find(({ userId }) => userId === id);

describe("listMembers", () => {
  test("a change of all roles keeps the time of the membership, and changes that of the last change", async () => {
    const before = await entryOf(member);
    expect(before).toMatchObject({ organizationId: organization, roleNames: ["User"], status: "active" });
    const { member: changed } = await admin.organizations.setMemberRoles({
      id: organization,
      userId: member.id,
      roleNames: ["Workspace Admin", "Team Admin"],
    });
    const after = await entryOf(member);
    expect(changed).toEqual(after);
    expect(after).toMatchObject({ roleNames: ["Team Admin", "Workspace Admin"], createdAt: before?.createdAt });
    expect(after?.updatedAt).not.toEqual(before?.updatedAt);
  });

  test("follows a user who is renamed, deleted and restored, by whatever writes it", async () => {
    const update = (text: ReturnType<typeof sql>) =>
      execute(fixture.db, statement`update users set ${text} where id = $1`, [member.id]);
    await update(sql`first_name = 'Ada', last_name = 'Byron'`);
    expect(await idsOf(admin, "ADA B")).toEqual([member.id]);
    await update(sql`last_name = 'Lovelace'`);
    expect([await idsOf(admin, "byron"), await idsOf(admin, "a love")]).toEqual([[], [member.id]]);
    await update(sql`deleted_at = now()`);
    expect(await list()).toMatchObject({ totalCount: 1, members: [{ userId: admin.id }] });
    await update(sql`deleted_at = null`);
    expect(await list()).toMatchObject({ totalCount: 2 });
  });

  test("a user in several organizations is on the pages of each once, on deep pages and in searches too", async () => {
    const elsewhere = await fixture.createOrganization();
    const fill = statement`
      with people as (
        insert into users (id, email, first_name)
        select gen_random_uuid(), $1 || n || '@example.test', 'Deep'
        from generate_series(1, 1100) n
        returning id
      )
      insert into memberships (organization_id, user_id, role_name)
      select organization, people.id, 'User'
      from people
      cross join unnest($2::uuid[]) organization`;
    await execute(fixture.db, fill, [organization, [organization, elsewhere]]);
    const read = async (page: bigint, search = "") => {
      const query = parseListParameters({ search, order: "", page, pageSize: 100n });
      const viewer = { userId: null, searchesEmails: true };
      return await selectMembersOf(fixture.db, organization as OrganizationId, viewer, query);
    };
    for (const [search, total] of [["", 1102] as const, ["deep", 1100] as const]) {
      const pages = await Promise.all(Array.from({ length: 12 }, (_, page) => read(BigInt(page), search)));
      const ids = pages.flatMap(({ rows }) => rows.map((row) => row.user_id));
      expect([ids.length, new Set(ids).size, pages[0]?.totalCount]).toEqual([total, total, total]);
      expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.organization_id)))).toEqual(
        new Set([organization]),
      );
    }
  });
});

test("updating an organization leaves an entry with what was sent in the audit log; an empty update none", async () => {
  await admin.organizations.updateOrganization({ id: organization });
  await admin.organizations.updateOrganization({ id: organization, name: "Corp" });
  const { events } = await admin.audit.listAuditEvents({ organizationId: organization });
  const updates = events.filter(({ action }) => action === "organization.updated");
  expect(updates).toMatchObject([{ actor: admin.id, target: organization, metadata: { name: "Corp" } }]);
});
