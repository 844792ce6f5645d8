import { newId, type OrganizationId } from "@cloud/access/values";
import type { Connection, Environment } from "@cloud/proto/environment/v1/records_pb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { newConnection, newEnvironment } from "./records.ts";

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

describe("the directory", () => {
  test("returns the live environments among the ids", async () => {
    const deleted = await newEnvironment(fixture, home);
    await fixture.admin.environments.deleteEnvironment({ id: deleted.id });
    const foreign = await newEnvironment(fixture, fixture.identity.abroad);
    const ids = [environment.id, environment.id, deleted.id, "x", newId<OrganizationId>(), foreign.id];
    const { environments } = await fixture.service.directory.batchGetEnvironments({ ids });
    expect(environments).toEqual([environment, foreign]);
  });

  test("lists an organization's environments among the ids, or the others", async () => {
    const other = await newEnvironment(fixture, home, { name: "other-selected" });
    const request = { organizationId: home, ids: [environment.id, "x"] };
    const among = await fixture.service.directory.selectEnvironments({ ...request, assigned: true });
    expect(among).toMatchObject({ totalCount: 1, environments: [{ id: environment.id }] });
    const others = await fixture.service.directory.selectEnvironments({ ...request, search: "selected", pageSize: 1n });
    expect(others).toMatchObject({ pageSize: 1, totalCount: 1, environments: [{ id: other.id }] });
    const none = await fixture.service.directory.selectEnvironments({ organizationId: home, assigned: true });
    expect(none.totalCount).toBe(0);
  });

  test("returns the environments of a connection", async () => {
    const list = async (connectionId: string) =>
      (await fixture.service.directory.listConnectionEnvironments({ connectionId })).environmentIds;
    await fixture.admin.environments.assignConnection({ id: environment.id, connectionId: connection.id });
    expect(await list(connection.id)).toEqual([environment.id]);
    await fixture.admin.environments.removeConnection({ id: environment.id, connectionId: connection.id });
    expect(await list(connection.id)).toEqual([]);
    expect(await list("x")).toEqual([]);
  });
});
