import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { eventsAbout, newConnection, newEnvironment, newPlatformEnvironment } from "./records.ts";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

test("nothing is stored of an organization that is unknown", async () => {
  const request = { organizationId: newId<OrganizationId>() };
  const notFound = "404 ORGANIZATION_NOT_FOUND: organization not found";
  expect(await refusal(fixture.service.environments.createEnvironment(request))).toBe(notFound);
  expect(await refusal(fixture.service.environments.provisionEnvironment(request))).toBe(notFound);
  expect(await refusal(fixture.service.connections.createConnection(request))).toBe(notFound);
  expect(await refusal(fixture.provider.environments.createEnvironment(request))).toMatch(/^403 PERMISSION_DENIED/);
  const { rows } = await fixture.db.read(
    statement`
      select
      from organizations
      where id = $1`,
    [request.organizationId],
  );
  expect(rows).toHaveLength(0);
});

test("a deletion deletes the links and publishes one event", async () => {
  const [environment, connection] = [await newEnvironment(fixture, home), await newConnection(fixture, home)];
  await fixture.admin.environments.assignConnection({ id: environment.id, connectionId: connection.id });
  await fixture.admin.environments.deleteEnvironment({ id: environment.id });
  const reply = await fixture.service.directory.listConnectionEnvironments({ connectionId: connection.id });
  expect(reply.environmentIds).toEqual([]);
  const deleted = "environment.v1.EnvironmentDeleted";
  expect((await eventsAbout(fixture, environment.id)).filter((type) => type === deleted)).toEqual([deleted]);
});

test("a deletion that is refused publishes no event", async () => {
  const { id } = await newPlatformEnvironment(fixture, home);
  expect(await refusal(fixture.admin.environments.deleteEnvironment({ id }))).toMatch(/^403 ENVIRONMENT_NOT_DELETABLE/);
  expect(await eventsAbout(fixture, id)).toEqual([]);
});
