import { fail, rateLimited } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { takeStablePort, waitFor } from "@cloud/testkit";
import { type Client, Code, ConnectError, createClient as createPlainClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { createClient } from "../src/index.ts";
import { type Outcome, startWorkspaceServer, type WorkspaceServer } from "./workspace-server.ts";

const UNAVAILABLE = fail(Reason.UNAVAILABLE);
const OVERLOADED = fail(Reason.OVERLOADED);
const rateLimit = (retryAfterSeconds: number) =>
  rateLimited({ policy: "token", quota: 1, windowSeconds: 60, retryAfterSeconds });

type Workspaces = Client<typeof WorkspaceService>;

let server: WorkspaceServer;
let workspaces: Workspaces;
beforeEach(async () => {
  server = await startWorkspaceServer();
  workspaces = createClient(WorkspaceService, { url: server.url, token: "cst_token" });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await server.stop();
});

const tries = () => server.received.length;

/** Returns `ok`, or the code of the failure. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    return Code[ConnectError.from(error).code];
  }
}

const CALLS: Readonly<Record<string, (client: Workspaces) => Promise<unknown>>> = {
  read: (client) => client.getWorkspace({ id: "1" }),
  create: (client) => client.createWorkspace({ name: "Tour" }),
  assign: (client) => client.assignTeam({ id: "1", teamId: "2" }),
  update: (client) => client.updateWorkspace({ id: "1", name: "Tour" }),
  "update with an entity tag": (client) => client.updateWorkspace({ id: "1", name: "Tour", etag: '"1"' }),
  "update with If-Match": (client) =>
    client.updateWorkspace({ id: "1", name: "Tour" }, { headers: { "If-Match": '"1"' } }),
  delete: (client) => client.deleteWorkspace({ id: "1" }),
};

describe.each<[string, string[], Outcome]>([
  ["that may have been processed", ["read", "create", "assign", "update"], UNAVAILABLE],
  ["whose connection breaks", ["read", "create", "assign", "update"], "cut"],
  ["refused because the service is busy", Object.keys(CALLS), OVERLOADED],
])("a call %s", (_, repeated, outcome) => {
  test.each(Object.keys(CALLS))("%s", async (name) => {
    server.next(outcome, outcome);
    const made = await outcomeOf(CALLS[name]?.(workspaces) ?? Promise.reject());
    expect([name, made === "ok", tries()]).toEqual([name, repeated.includes(name), repeated.includes(name) ? 3 : 1]);
  });
});

test("control: a client without retries fails at the first failure", async () => {
  const plain = createPlainClient(
    WorkspaceService,
    createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  );
  server.next(UNAVAILABLE);
  expect([await outcomeOf(plain.getWorkspace({ id: "1" })), tries()]).toEqual(["Unavailable", 1]);
});

test.each([Reason.WORKSPACE_NOT_FOUND, Reason.BODY_TOO_LARGE, Reason.INTERNAL, Reason.DEADLINE_EXCEEDED])(
  "reason %p is final",
  async (reason) => {
    server.next(fail(reason, { parameter: "id", accepts: "an id" }));
    expect(await outcomeOf(workspaces.getWorkspace({ id: "1" }))).not.toBe("ok");
    expect(tries()).toBe(1);
  },
);

test("a service that keeps failing is tried 5 times", async () => {
  server.always(UNAVAILABLE);
  expect([await outcomeOf(workspaces.getWorkspace({ id: "1" })), tries()]).toEqual(["Unavailable", 5]);
});

test("a creation has one key for all its tries, another one for each call, or the caller's own", async () => {
  server.next(UNAVAILABLE);
  await workspaces.createWorkspace({ name: "Tour" });
  await workspaces.createWorkspace({ name: "Tour" });
  await workspaces.createWorkspace({ name: "Tour" }, { headers: { "Idempotency-Key": "mine" } });
  const [first, again, second, own] = server.received.map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(again).toBe(first);
  expect(second).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
  expect(own).toBe("mine");
});

test("the token of each try is the current one, unless the call has its own", async () => {
  let number = 0;
  const client = createClient(WorkspaceService, { url: server.url, token: async () => `cst_${++number}` });
  server.next(UNAVAILABLE);
  await client.getWorkspace({ id: "1" });
  await client.getWorkspace({ id: "1" }, { headers: { Authorization: "Bearer own" } });
  expect(server.received.map(({ authorization }) => authorization)).toEqual([
    "Bearer cst_1",
    "Bearer cst_2",
    "Bearer own",
  ]);
});

test("what the service asks to wait is waited, for any call", async () => {
  server.next(rateLimit(1));
  await workspaces.deleteWorkspace({ id: "1" });
  expect(tries()).toBe(2);
});

test("a wait beyond the deadline is a failure at once", async () => {
  server.next(rateLimit(60));
  expect(await outcomeOf(workspaces.getWorkspace({ id: "1" }))).toBe("ResourceExhausted");
  expect(tries()).toBe(1);
});

test("Retry-After is what RetryInfo is", async () => {
  server.next(new ConnectError("busy", Code.Unavailable, { "Retry-After": "60" }));
  expect(await outcomeOf(workspaces.getWorkspace({ id: "1" }))).toBe("Unavailable");
  expect(tries()).toBe(1);
});

test("a call ends by its deadline", async () => {
  server.next("silence");
  expect(await outcomeOf(workspaces.getWorkspace({ id: "1" }, { timeoutMs: 500 }))).toBe("DeadlineExceeded");
});

test("each try has what is left of the call's deadline, or else the client's", async () => {
  let now = 0;
  jest.spyOn(performance, "now").mockImplementation(() => now);
  server.onReceived(() => {
    now += 400;
  });
  server.next(UNAVAILABLE, UNAVAILABLE);
  await workspaces.getWorkspace({ id: "1" }, { timeoutMs: 8_000 });
  await workspaces.getWorkspace({ id: "1" });
  expect(server.received.map(({ timeoutMs }) => timeoutMs)).toEqual([8_000, 7_600, 7_200, 10_000]);
});

test("a caller who leaves ends a call between two tries", async () => {
  const caller = new AbortController();
  server.next(rateLimit(5));
  const call = outcomeOf(workspaces.getWorkspace({ id: "1" }, { signal: caller.signal }));
  await waitFor(() => tries() === 1 || undefined, { deadlineMs: 30_000 });
  caller.abort();
  expect(await call).toBe("Canceled");
  expect(tries()).toBe(1);
});

test("a caller who leaves ends a call that gets no reply", async () => {
  const caller = new AbortController();
  server.next("silence");
  const call = outcomeOf(workspaces.getWorkspace({ id: "1" }, { signal: caller.signal }));
  await waitFor(() => tries() === 1 || undefined, { deadlineMs: 30_000 });
  caller.abort();
  expect(await call).toBe("Canceled");
});

test("no call of a client is tried again after 50 failures of the service", async () => {
  server.always(UNAVAILABLE);
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 10 }, () => outcomeOf(workspaces.getWorkspace({ id: "1" }))));
  // The first 10 calls are tried 5 times each. Without a budget, so are the other 90.
  expect(tries()).toBe(50 + 90);
});

test("any call waits for a service that starts meanwhile", async () => {
  const port = await takeStablePort();
  const client = createClient(WorkspaceService, { url: `http://127.0.0.1:${port}`, maxTries: 10 });
  const call = client.deleteWorkspace({ id: "1" });
  const late = await startWorkspaceServer(port);
  try {
    await call;
    expect(late.received).toHaveLength(1);
  } finally {
    await late.stop();
  }
});

test.each([
  [{ timeoutMs: 0 }, "timeoutMs must be a whole number from 1 to 30000, not 0"],
  [{ timeoutMs: 30_001 }, "timeoutMs must be a whole number from 1 to 30000, not 30001"],
  [{ maxTries: 11 }, "maxTries must be a whole number from 1 to 10, not 11"],
])("%j is refused", (settings, message) => {
  expect(() => createClient(WorkspaceService, { url: server.url, ...settings })).toThrow(message);
});

test.each(["127.0.0.1:8081", "localhost:8081"])("the URL %s is refused", (url) => {
  expect(() => createClient(WorkspaceService, { url })).toThrow(/URL|http/);
});
