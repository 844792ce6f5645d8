import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, refusal, startFixture } from "./fixture.ts";
import { newEnvironment } from "./records.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

test("is ready, and answers 503 to users while identity is away, and its own work to services", async () => {
  const { home } = fixture.identity;
  const { id } = await newEnvironment(fixture, home);
  expect((await fetch(fixture.url + "/readyz")).status).toBe(200);

  await fixture.identity.stop();
  const unavailable = "503 UNAVAILABLE: the service is temporarily unavailable";
  expect(await refusal(fixture.admin.environments.getEnvironment({ id }))).toBe(unavailable);
  expect(await refusal(fixture.service.environments.createEnvironment({ organizationId: home }))).toBe(unavailable);
  expect(await refusal(fixture.service.environments.listEnvironments({ orgId: "all" }))).toBe(unavailable);
  expect(await refusal(fixture.service.environments.getEnvironment({ id }))).toBe("not refused");
});
