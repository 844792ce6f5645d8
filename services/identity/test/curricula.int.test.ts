import { toJson } from "@bufbuild/protobuf";
import { refusal } from "@cloud/access/testing";
import { CurriculumSchema } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

const NOT_FOUND = "404 CURRICULUM_NOT_FOUND: curriculum not found";
const DENIED = '403 PERMISSION_DENIED: permission "Manage Curricula" is required';

let fixture: Fixture;
let organizationId: string;
let admin: Person;
let member: Person;

beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(async () => {
  organizationId = await fixture.createOrganization();
  admin = await fixture.createMember(organizationId, "Org Admin");
  member = await fixture.createMember(organizationId, "User");
});
afterAll(() => fixture.stop());

const create = async (title: string, slug = "") =>
  (await admin.curricula.createCurriculum({ organizationId, title, slug })).curriculum;

describe("createCurriculum", () => {
  test("returns the record, with a slug made from the title", async () => {
    const curriculum = await create("Café: the Basics!");
    expect(curriculum).toMatchObject({ orgId: organizationId, slug: "cafe-the-basics", visibility: "public" });
    expect(
      curriculum === undefined ? {} : toJson(CurriculumSchema, curriculum, { alwaysEmitImplicit: true }),
    ).toMatchObject({
      title: "Café: the Basics!",
      registration_count: 0,
    });
    expect((await create("Other", "my slug"))?.slug).toBe("my-slug");
  });

  test("ten concurrent creations with one title get ten slugs", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create("Go")));
    const slugs = made.map((curriculum) => curriculum?.slug);
    expect(new Set(slugs)).toEqual(new Set(["go", ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => "go-" + String(n))]));
  });

  test("checks the form, then the permission", async () => {
    const refused = (
      who: Fixture["service"],
      request: { organizationId?: string; visibility?: string; title?: string },
    ) => refusal(who.curricula.createCurriculum({ organizationId, ...request }));
    expect(await refused(member, { organizationId: "" })).toMatch(/^400 ORGANIZATION_ID_REQUIRED/);
    expect(await refused(member, { organizationId: "x" })).toMatch(/^400 ORGANIZATION_ID_INVALID/);
    expect(await refused(member, { visibility: "secret" })).toMatch(/^400 INVALID_PARAMETER: visibility/);
    expect(await refused(member, { title: "x".repeat(256) })).toMatch(/^400 INVALID_PARAMETER: title/);
    expect(await refused(member, {})).toBe(DENIED);
    expect(await refused(admin, { organizationId: await fixture.createOrganization() })).toBe(DENIED);
  });
});

describe("registrations", () => {
  test("count each user once", async () => {
    const id = (await create("Go"))?.id ?? "";
    await Promise.all(Array.from({ length: 5 }, () => member.curricula.registerForCurriculum({ id })));
    const { curriculum } = await admin.curricula.registerForCurriculum({ id, userId: member.id });
    expect(curriculum?.registrationCount).toBe(2);
    expect((await member.curricula.getCurriculum({ id })).curriculum).toEqual(curriculum);
    const other = await fixture.createMember(organizationId, "User");
    await fixture.service.curricula.registerForCurriculum({ id, userId: other.id });
    const { data } = await member.curricula.listCurricula({});
    expect(data).toEqual([{ ...curriculum, registrationCount: 3, etag: expect.any(String) }]);
    // The count is not one of the row's columns, so that no trigger changes the tag.
    expect(data[0]?.etag).not.toBe(curriculum?.etag);
  });

  test("are limited to members of the organization", async () => {
    const id = (await create("Go"))?.id ?? "";
    const outsider = await fixture.createMember(await fixture.createOrganization(), "Org Admin");
    expect(await refusal(outsider.curricula.registerForCurriculum({ id }))).toBe(NOT_FOUND);
    expect(await refusal(member.curricula.registerForCurriculum({ id: "x" }))).toBe(NOT_FOUND);
    const byService = (userId: string) => refusal(fixture.service.curricula.registerForCurriculum({ id, userId }));
    expect(await byService("")).toBe("404 USER_NOT_FOUND: user not found");
    expect(await byService(outsider.id)).toBe("404 USER_NOT_FOUND: user not found");
    await fixture.service.organizations.deleteOrganization({ id: organizationId });
    expect(await byService(member.id)).toBe(NOT_FOUND);
  });
});

test("listCurricula returns the curricula of the current organization, newest first", async () => {
  const list = async (header = "") => {
    const { total, data } = await member.curricula.listCurricula({}, { headers: { "service-current-orgid": header } });
    return [total, data.map(({ title }) => title)];
  };
  expect(await list()).toEqual([0, []]);
  await create("first");
  await create("second");
  expect(await list()).toEqual([2, ["second", "first"]]);
  const other = await fixture.createOrganization();
  await fixture.service.organizations.setMemberRoles({ id: other, userId: member.id, roleNames: ["User"] });
  expect(await list()).toEqual([0, []]);
  expect(await list(organizationId)).toEqual([2, ["second", "first"]]);
  await member.users.updatePreferences({ selectedOrganization: organizationId });
  expect(await list()).toEqual([2, ["second", "first"]]);
  expect(await list(other)).toEqual([0, []]);
  const page = await member.curricula.listCurricula({ search: "FIR", order: "updated_at asc", pageSize: 1n });
  expect(page).toMatchObject({ total: 1, data: [{ title: "first" }] });
  expect(await fixture.service.curricula.listCurricula({})).toMatchObject({ total: 0, data: [] });
});
