import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";
import { startWatching } from "./watch-stage.ts";

let f: Fixture;
beforeAll(async () => {
  f = await startFixture();
}, 60_000);
afterAll(() => f.stop());

test.each<[string, Reason, () => void]>([
  ["the token is revoked", Reason.UNAUTHENTICATED, () => f.identity.revoked.add("member")],
  ["the permission is gone", Reason.PERMISSION_DENIED, () => f.identity.powerless.add("member")],
])("a watch ends within a second after %s", async (_what, reason, take) => {
  const { id } = await newWorkspace(f.admin, f.identity.home);
  const { ended } = await startWatching(f.member, { id });
  const since = performance.now();
  take();
  expect(reasonOf(await ended)).toBe(reason);
  expect(performance.now() - since).toBeLessThan(1_500);
  f.identity.revoked.clear();
  f.identity.powerless.clear();
});
