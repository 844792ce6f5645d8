import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack.stop());

function get(path: string, user: keyof TestStack["demo"]["users"]): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.demo.users[user].token}` };
  return fetch(`${stack.gateway}${path}`, { headers });
}

test("events reach the other services: a new organization has its workspace", async () => {
  const [first] = stack.demo.organizations;
  const workspaces = await waitFor(
    async () => {
      const response = await get(`/api/workspaces?orgId=${first?.id}`, "user");
      expect(response.status).toBe(200);
      const page = (await response.json()) as { workspaces: { name: string }[] };
      return page.workspaces.length > 0 ? page.workspaces : undefined;
    },
    { deadlineMs: 10_000 },
  );
  expect(workspaces.map(({ name }) => name)).toEqual(["My Workspace"]);
});

test("two stacks run beside each other on one Postgres", async () => {
  const other = await startTestStack();
  expect(other.gateway).not.toBe(stack.gateway);
  expect(other.demo.users.user.id).not.toBe(stack.demo.users.user.id);
  await other.stop();
});
