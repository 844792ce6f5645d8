import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type EmptyTestStack, startEmptyTestStack } from "@cloud/local-stack/test-stack";
import { COMPILE_CACHE, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const COMMAND = join(import.meta.dirname, "../../services/identity/src/bootstrap.ts");

let stack: EmptyTestStack;
beforeAll(async () => {
  stack = await startEmptyTestStack();
});
afterAll(() => stack.stop());

test("a bootstrap while the system runs: the token works at once over REST, and the organization has its workspace", async () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [COMMAND, "--organization", "Corp", "--email", "ada@example.test"],
    { env: { DATABASE_URL: stack.superuserUrl, ...COMPILE_CACHE }, encoding: "utf8" },
  );
  expect(status).toBe(0);
  const token = /^cst_.*$/m.exec(stdout)?.[0] ?? "";
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(stack.gateway + "/api" + path, {
      ...init,
      headers: { authorization: "Bearer " + token, ...(init.body && { "content-type": "application/json" }) },
    });
    return { status: response.status, body: await response.json() };
  };

  const profile = await call("/identity/users/profile");
  expect(profile).toMatchObject({
    status: 200,
    body: { email: "ada@example.test", roleNames: ["Org Admin", "Provider Admin"] },
  });
  const { id } = (profile.body as { organizations: { organizationsWithRoles: { id: string }[] } }).organizations
    .organizationsWithRoles[0] ?? { id: "" };
  // By its event, which the relay of the running service publishes.
  const listed = async () => ((await call("/workspaces?orgId=all")).body as { totalCount: number }).totalCount === 1;
  await waitFor(async () => (await listed()) || undefined, { deadlineMs: 30_000 });
  expect(await call("/workspaces?orgId=" + id)).toMatchObject({ body: { workspaces: [{ name: "My Workspace" }] } });
  // What only a Provider Admin may do.
  const body = JSON.stringify({ email: "grace@example.test" });
  expect(await call("/identity/users", { method: "POST", body })).toMatchObject({ status: 201 });
});
