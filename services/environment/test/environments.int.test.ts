import { timestampDate } from "@bufbuild/protobuf/wkt";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { present } from "@cloud/service/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { eventsAbout, newConnection, newEnvironment, newPlatformEnvironment } from "./records.ts";

const MAX = "ä".repeat(255);
const OVER = "x".repeat(256);
const needs = (permission: string) => `403 PERMISSION_DENIED: permission "${permission}" is required`;

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

describe("createEnvironment", () => {
  test("returns the whole record; both texts may be empty or have 255 characters", async () => {
    const { environment } = await fixture.admin.environments.createEnvironment({ organizationId: home });
    expect(environment).toMatchObject({ name: "", description: "", organizationId: home, platformProvisioned: false });
    expect(environment?.metadata).toEqual({});
    expect(environment?.deletedAt).toBeUndefined();
    expect(timestampDate(present(environment?.createdAt))).toEqual(timestampDate(present(environment?.updatedAt)));

    const full = { organizationId: home.toUpperCase(), name: MAX, description: "😀".repeat(255) };
    const reply = await fixture.admin.environments.createEnvironment(full);
    expect(reply.environment).toMatchObject({ ...full, organizationId: home });
  });

  test("two environments may have the same name", async () => {
    const [one, other] = [
      await newEnvironment(fixture, home, { name: "twin" }),
      await newEnvironment(fixture, home, { name: "twin" }),
    ];
    expect(one.id).not.toBe(other.id);
  });

  test.each([
    ["without an organization", {}, "400 ORGANIZATION_ID_REQUIRED: organization_id is required"],
    ["with a malformed one", { organizationId: "home" }, "400 ORGANIZATION_ID_INVALID: invalid organization_id format"],
    [
      "with a malformed one and a long name: the id first",
      { organizationId: "home", name: OVER },
      "400 ORGANIZATION_ID_INVALID: invalid organization_id format",
    ],
  ])("%s", async (_case, request, expected) => {
    expect(await refusal(fixture.outsider.environments.createEnvironment(request))).toBe(expected);
  });

  test.each(["name", "description"])("refuses a %s over 255 characters, after the permission", async (field) => {
    const request = { organizationId: home, [field]: OVER };
    const expected = "500 ENVIRONMENT_CREATE_FAILED: Unable to create environment";
    expect(await refusal(fixture.admin.environments.createEnvironment(request))).toBe(expected);
    expect(await refusal(fixture.service.environments.provisionEnvironment(request))).toBe(expected);
    expect(await refusal(fixture.member.environments.createEnvironment(request))).toBe(needs("Create Environment"));
  });

  test("refuses a member without the permission, an outsider and an unknown token", async () => {
    const request = { organizationId: home };
    expect(await refusal(fixture.member.environments.createEnvironment(request))).toBe(needs("Create Environment"));
    expect(await refusal(fixture.outsider.environments.createEnvironment(request))).toBe(needs("Create Environment"));
    expect(await refusal(fixture.stranger.environments.createEnvironment(request))).toBe(
      "401 UNAUTHENTICATED: a valid security token is required",
    );
  });

  test("an unknown organization is forbidden to a Provider Admin and not found for a service", async () => {
    const request = { organizationId: newId<OrganizationId>() };
    expect(await refusal(fixture.provider.environments.createEnvironment(request))).toBe(needs("Create Environment"));
    const notFound = "404 ORGANIZATION_NOT_FOUND: organization not found";
    expect(await refusal(fixture.service.environments.createEnvironment(request))).toBe(notFound);
    expect(await refusal(fixture.service.environments.provisionEnvironment(request))).toBe(notFound);
    const { rows } = await fixture.db.read(
      statement`
        select
        from organizations
        where id = $1`,
      [request.organizationId],
    );
    expect(rows).toHaveLength(0);
  });

  test("a Provider Admin may create one in any live organization", async () => {
    const { environment } = await fixture.provider.environments.createEnvironment({ organizationId: home });
    expect(environment?.organizationId).toBe(home);
  });

  test("U+0000, which Postgres cannot store, is removed", async () => {
    const environment = await newEnvironment(fixture, home, { name: "a\u0000b" });
    expect(environment.name).toBe("ab");
  });
});

describe("provisionEnvironment", () => {
  test("is for services only", async () => {
    expect(await refusal(fixture.provider.environments.provisionEnvironment({ organizationId: home }))).toBe(
      "403 SERVICE_CREDENTIAL_REQUIRED: a service credential is required",
    );
    expect((await newPlatformEnvironment(fixture, home)).platformProvisioned).toBe(true);
  });
});

describe("getEnvironment", () => {
  test("all members, and a Provider Admin, may read it", async () => {
    const environment = await newEnvironment(fixture, home, { name: "read" });
    for (const clients of [fixture.member, fixture.admin, fixture.provider, fixture.service]) {
      expect((await clients.environments.getEnvironment({ id: environment.id })).environment).toEqual(environment);
      const upper = await clients.environments.getEnvironment({ id: environment.id.toUpperCase() });
      expect(upper.environment?.id).toBe(environment.id);
    }
  });

  test("malformed, missing and foreign ids are not found", async () => {
    const foreign = await newEnvironment(fixture, fixture.identity.abroad);
    for (const id of ["", "x", "../x", newId<OrganizationId>(), foreign.id]) {
      expect(await refusal(fixture.admin.environments.getEnvironment({ id }))).toBe(
        "404 ENVIRONMENT_NOT_FOUND: environment not found",
      );
    }
  });
});

describe("updateEnvironment", () => {
  test("replaces both texts; an omitted one becomes empty", async () => {
    const before = await newEnvironment(fixture, home, { name: "before", description: "before" });
    const { environment } = await fixture.admin.environments.updateEnvironment({ id: before.id, name: "after" });
    expect(environment).toMatchObject({ id: before.id, name: "after", description: "", createdAt: before.createdAt });
    expect(timestampDate(present(environment?.updatedAt)) >= timestampDate(present(before.updatedAt))).toBe(true);
    const reread = await fixture.admin.environments.getEnvironment({ id: before.id });
    expect(reread.environment).toEqual(environment);
  });

  test("a platform-provisioned environment can be edited", async () => {
    const { id } = await newPlatformEnvironment(fixture, home);
    const { environment } = await fixture.admin.environments.updateEnvironment({ id, name: "renamed" });
    expect(environment).toMatchObject({ name: "renamed", platformProvisioned: true });
  });

  test("not found comes before forbidden, and forbidden before too long", async () => {
    const { id } = await newEnvironment(fixture, home);
    const update = { id, name: OVER };
    expect(await refusal(fixture.outsider.environments.updateEnvironment(update))).toBe(
      "404 ENVIRONMENT_NOT_FOUND: environment not found",
    );
    expect(await refusal(fixture.member.environments.updateEnvironment(update))).toBe(needs("Edit Environment"));
    const failed = "500 ENVIRONMENT_UPDATE_FAILED: Unable to update environment";
    expect(await refusal(fixture.admin.environments.updateEnvironment(update))).toBe(failed);
    expect(await refusal(fixture.admin.environments.updateEnvironment({ id, description: OVER }))).toBe(failed);
  });
});

describe("deleteEnvironment", () => {
  const notFound = "404 ENVIRONMENT_TO_DELETE_NOT_FOUND: no environment with the requested id";

  test("deletes its links, keeps the connections, and publishes the event", async () => {
    const [environment, connection] = [await newEnvironment(fixture, home), await newConnection(fixture, home)];
    const pair = { id: environment.id, connectionId: connection.id };
    await fixture.admin.environments.assignConnection(pair);
    await fixture.admin.environments.deleteEnvironment({ id: environment.id });

    const { environmentIds } = await fixture.service.directory.listConnectionEnvironments({
      connectionId: connection.id,
    });
    expect(environmentIds).toEqual([]);
    await fixture.admin.connections.getConnection({ id: connection.id });
    expect(await eventsAbout(fixture, environment.id)).toContain("environment.v1.EnvironmentDeleted");
    expect(await refusal(fixture.admin.environments.deleteEnvironment({ id: environment.id }))).toBe(notFound);
    for (const call of [fixture.admin.environments.getEnvironment, fixture.admin.environments.updateEnvironment]) {
      expect(await refusal(call({ id: environment.id }))).toBe("404 ENVIRONMENT_NOT_FOUND: environment not found");
    }
  });

  test("checks the id, then the permission, then the rule", async () => {
    const platform = await newPlatformEnvironment(fixture, home);
    for (const id of ["", "x", newId<OrganizationId>()]) {
      expect(await refusal(fixture.admin.environments.deleteEnvironment({ id }))).toBe(notFound);
    }
    const { id } = platform;
    expect(await refusal(fixture.outsider.environments.deleteEnvironment({ id }))).toBe(notFound);
    expect(await refusal(fixture.member.environments.deleteEnvironment({ id }))).toBe(needs("Delete Environment"));
    expect(await refusal(fixture.admin.environments.deleteEnvironment({ id }))).toBe(
      "403 ENVIRONMENT_NOT_DELETABLE: this environment is provisioned by the platform and cannot be deleted here",
    );
    expect(await eventsAbout(fixture, id)).toEqual([]);
  });
});
