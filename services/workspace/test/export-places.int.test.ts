import { refusal } from "@cloud/access/testing";
import { statement } from "@cloud/postgres";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
  await newWorkspace(f.admin, f.identity.home);
}, 60_000);
afterAll(() => f.stop());

/** Returns how many lines an export has. */
async function exported(): Promise<number> {
  let lines = 0;
  for await (const _ of f.admin.workspaces.exportOrganizationEvents({ organizationId: f.identity.home })) lines++;
  return lines;
}

test("a process exports eight logs at a time, and refuses the ninth until one has ended", async () => {
  const lines = await exported();
  expect(lines).toBeGreaterThan(0);
  const started: Promise<number>[] = [];
  await f.ownerDb.transaction(async (tx) => {
    await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
    await tx.query(statement`lock table activity_events in access exclusive mode`);
    for (let count = 0; count < 8; count++) started.push(exported());
    const allRun = async () => /semaphore_in_flight\{work="exports".*\} 8$/m.test(await f.metrics()) || undefined;
    await waitFor(allRun, { deadlineMs: 30_000 });
    expect(await refusal(exported())).toContain("OVERLOADED");
    expect(await f.metrics()).toMatch(/semaphore_refused_total\{work="exports".*\} 1$/m);
  });
  expect(await Promise.all(started)).toEqual(Array.from({ length: 8 }, () => lines));
  expect(await exported()).toBe(lines);
});
