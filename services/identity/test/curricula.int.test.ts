import { refusal } from "@cloud/access/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Fixture, type Person, startFixture } from "./fixture.ts";

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

const create = async (title: string) => (await admin.curricula.createCurriculum({ organizationId, title })).curriculum;

test("ten concurrent creations with one title get ten slugs", async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => create("Go")));
  const slugs = made.map((curriculum) => curriculum?.slug);
  expect(new Set(slugs)).toEqual(new Set(["go", ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => "go-" + String(n))]));
});

test("concurrent registrations count each user once", async () => {
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

test("a service registers only a member of the organization", async () => {
  const id = (await create("Go"))?.id ?? "";
  const outsider = await fixture.createMember(await fixture.createOrganization(), "Org Admin");
  for (const userId of ["", outsider.id]) {
    const call = fixture.service.curricula.registerForCurriculum({ id, userId });
    expect(await refusal(call)).toBe("404 USER_NOT_FOUND: user not found");
  }
});
