import type { OrganizationId } from "@cloud/access/values";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, startFixture } from "./fixture.ts";
import { eventsAbout, linkCount, newConnection, newEnvironment } from "./records.ts";

let fixture: Fixture;
let home: OrganizationId;
beforeAll(async () => {
  fixture = await startFixture();
  home = fixture.identity.home;
});
afterAll(() => fixture.stop());

async function newPair() {
  const [environment, connection] = [await newEnvironment(fixture, home), await newConnection(fixture, home)];
  return { id: environment.id, connectionId: connection.id };
}

test("repeated assignments return the same link and publish one event", async () => {
  const pair = await newPair();
  const first = await fixture.admin.environments.assignConnection(pair);
  expect(await fixture.admin.environments.assignConnection(pair)).toEqual(first);
  expect(await fixture.provider.environments.assignConnection(pair)).toEqual(first);
  expect(await eventsAbout(fixture, pair.id)).toEqual(["environment.v1.ConnectionAssigned"]);
});

test("a removal publishes an event, a second one none, and the next assignment makes another link", async () => {
  const pair = await newPair();
  const { assignment } = await fixture.admin.environments.assignConnection(pair);
  await fixture.admin.environments.removeConnection(pair);
  await expect(fixture.admin.environments.removeConnection(pair)).rejects.toThrow("no such connection assignment");
  expect(await eventsAbout(fixture, pair.id)).toEqual([
    "environment.v1.ConnectionAssigned",
    "environment.v1.ConnectionUnassigned",
  ]);
  const again = await fixture.admin.environments.assignConnection(pair);
  expect(again.assignment?.id).not.toBe(assignment?.id);
});

test("the deletion of a connection deletes its links", async () => {
  const pair = await newPair();
  await fixture.admin.environments.assignConnection(pair);
  const before = await linkCount(fixture);
  await fixture.admin.connections.deleteConnection({ id: pair.connectionId });
  expect(await linkCount(fixture)).toBe(before - 1);
});
