import { takeStablePort } from "@cloud/local-servers";
import { renewDemo } from "@cloud/local-stack";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

let stack: OwnTestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack.stop());

function get(path: string, user: keyof OwnTestStack["demo"]["users"]): Promise<Response> {
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
    { deadlineMs: 30_000 },
  );
  expect(workspaces.map(({ name }) => name)).toEqual(["My Workspace"]);
});

test("two stacks run concurrently on one Postgres", async () => {
  const other = await startTestStack();
  expect(other.gateway).not.toBe(stack.gateway);
  expect(other.demo.users.user.id).not.toBe(stack.demo.users.user.id);
  await other.stop();
});

test("a demo is missing if its users are, but not if the service is unavailable", async () => {
  const { demo } = stack;
  expect(await renewDemo(stack, demo)).toEqual(demo);
  const unknown = {
    ...demo,
    users: { ...demo.users, outsider: { ...demo.users.outsider, id: demo.teams.first[0] ?? "" } },
  };
  expect(await renewDemo(stack, unknown)).toBeUndefined();
  const away = { ...stack, services: { ...stack.services, identity: `http://127.0.0.1:${await takeStablePort()}` } };
  await expect(renewDemo(away, demo)).rejects.toThrow("ECONNREFUSED");
});
