import { create } from "@bufbuild/protobuf";
import { codeOf, reasonOf, ruleOf } from "@cloud/access/errors";
import { newId } from "@cloud/access/values";
import { createDemoClients } from "@cloud/local-stack";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { type Database, statement } from "@cloud/postgres";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { WatchWorkspaceEventsRequestSchema, WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { openTestDatabase, waitFor } from "@cloud/testkit";
import { sideBySide } from "@cloud/testkit/races";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { setRoleKeys } from "../permissions/role-keys.ts";
import { type Rest, restClients } from "../rest.ts";
import { type EventStream, openEventStream } from "./read-events.ts";
import { STREAM_ERRORS } from "./stream-errors.ts";

let stack: OwnTestStack;
let identity: Database;
let admin: Rest;
let id: string;
let path: string;

beforeAll(async () => {
  stack = await startTestStack();
  admin = restClients(stack.demo).orgAdmin;
  const { superuserUrl: url } = stack;
  identity = openTestDatabase({ url, schema: "identity" });
}, 60_000);
afterAll(async () => {
  await identity.close();
  await stack.stop();
});
beforeEach(async () => {
  const organizationId = stack.demo.organizations[0]?.id;
  ({ id } = (await admin.post("/workspaces", { organizationId, name: "Watched" })).body);
  path = `/workspaces/${id}/events:watch`;
  await waitFor(isFinal, { deadlineMs: 30_000 });
});

/** Whether no transaction of the server is older than the lines: transactions of other test files delay them. */
async function isFinal(): Promise<true | undefined> {
  const { rows } = await identity.read(
    statement<{ final: boolean }>`
      select bool_and(xact < pg_snapshot_xmin(pg_current_snapshot())) as final
      from workspace.activity_events
      where workspace_id = $1`,
    [id],
  );
  return rows[0]?.final === true || undefined;
}

const reasonNamed = (code: string) =>
  ReasonSchema.values.find(({ name }) => name === `REASON_${code}`)?.number as Reason;

const change = () => admin.put(`/workspaces/${id}`, { name: "Changed" });
const open = (headers: Readonly<Record<string, string>> = {}, query = "", token = stack.demo.users.user.token) =>
  openEventStream(`${stack.demo.gateway}/api${path}${query}`, { authorization: `Bearer ${token}`, ...headers });

async function take({ events }: EventStream, count: number) {
  const taken: { id: string; type: string; data: unknown }[] = [];
  for (let n = 0; n < count; n++) {
    const { value } = await events.next();
    taken.push({ ...value, data: JSON.parse(value.data) });
  }
  return taken;
}

const listed = async (): Promise<object[]> =>
  (await admin.get(`/workspaces/${id}/events?order=created_at asc&pageSize=100`)).body.data;

describe("by REST", () => {
  test("a watch is a stream of server-sent events with ids", async () => {
    const stream = await open();
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(stream.headers.get("cache-control")).toBe("no-store");
    await change();
    const [event] = await take(stream, 1);
    stream.leave();
    expect(stream.retryMs()).toBe(1_000);
    const [, line] = (await listed()) as { id: string }[];
    expect(event).toEqual({ id: line?.id, type: "message", data: { event: line, position: line?.id } });
  });

  test("a client continues with Last-Event-ID, also before the first event", async () => {
    const first = await open();
    const reading = first.events.next().catch(() => undefined);
    await change();
    await reading;
    const { lastId } = first;
    first.leave();
    await change();
    await change();
    const again = await open({ "last-event-id": lastId() });
    const events = await take(again, 2);
    again.leave();
    expect(events.map(({ data }) => data)).toEqual(
      (await listed()).slice(2).map((event) => ({ event, position: (event as { id: string }).id })),
    );
  });

  test("the parameter after takes precedence over the header", async () => {
    await change();
    const [first, second] = (await listed()) as { id: string }[];
    const stream = await open({ "last-event-id": second?.id ?? "" }, `?after=${first?.id}`);
    expect((await take(stream, 1))[0]?.id).toBe(second?.id);
    stream.leave();
  });

  test("after an id that the log does not have, an event says so, and all follows", async () => {
    const stream = await open({ "last-event-id": newId() });
    const [gone, first] = await take(stream, 2);
    stream.leave();
    const position = "00000000-0000-0000-0000-000000000000";
    expect(gone).toEqual({ id: position, type: "gone", data: { position, gone: true } });
    expect(first).toMatchObject({ type: "message", data: { event: (await listed())[0] } });
  });

  test("with Accept it has a record in each line", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${stack.demo.gateway}/api${path}?after=00000000-0000-0000-0000-000000000000`, {
      headers: { authorization: `Bearer ${stack.demo.users.user.token}`, accept: "application/x-ndjson" },
      signal: leaving.signal,
    });
    let text = "";
    for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.split("\n").length === 3) break;
    }
    leaving.abort();
    const [event] = (await listed()) as { id: string }[];
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ position: "00000000-0000-0000-0000-000000000000" }, { event, position: event?.id }]);
  });

  test("it ends after its token is revoked, and says so", async () => {
    const { tokens } = createDemoClients(stack.demo);
    const { id: userId } = stack.demo.users.orgAdmin;
    const { secret, token } = await tokens.createToken({ name: "watches", userId });
    const stream = await open({}, "", secret);
    await admin.delete(`/identity/tokens/${token?.id}`);
    const [event] = await take(stream, 1);
    expect(event).toMatchObject({ type: "error", data: { code: "UNAUTHENTICATED" } });
    await expect(stream.events.next()).rejects.toThrow();
  });

  test("it ends after its user has lost the role, and after the workspace is deleted", async () => {
    const { organizations } = createDemoClients(stack.demo);
    const organization = { id: stack.demo.organizations[0]?.id ?? "", userId: stack.demo.users.teamAdmin.id };
    const stream = await open({}, "", stack.demo.users.teamAdmin.token);
    const other = await open();
    await organizations.removeMember(organization);
    expect(await take(stream, 1)).toMatchObject([{ type: "error", data: { code: "WORKSPACE_NOT_FOUND" } }]);
    await organizations.setMemberRoles({ ...organization, roleNames: ["Team Admin"] });
    await admin.delete(`/workspaces/${id}`);
    // Transactions of other test files may delay the line of the deletion until after the end.
    let [last] = await take(other, 1);
    if (last?.type === "message") [last] = await take(other, 1);
    expect(last).toMatchObject({ type: "error", data: { code: "WORKSPACE_NOT_FOUND" } });
  });

  /** The call that produces each error of the RPC. */
  const causes: Readonly<Record<string, () => Promise<{ status: number; body: { code: string } }>>> = {
    INVALID_PARAMETER: () => admin.get(`${path}?after=1`),
    PERMISSION_DENIED: async () => {
      await setRoleKeys(identity, "User", []);
      return await restClients(stack.demo).user.get(path);
    },
    TOO_MANY_WATCHES: async () => {
      const { token } = stack.demo.users.workspaceAdmin;
      const streams = await sideBySide(100, 8, () => open({}, "", token));
      expect(streams.map(({ status }) => status)).toEqual(Array(100).fill(200));
      const response = await restClients(stack.demo).workspaceAdmin.get(path);
      for (const stream of streams) stream.leave();
      return response;
    },
    UNAUTHENTICATED: () => restClients(stack.demo).anonymous.get(path),
    WORKSPACE_NOT_FOUND: () => restClients(stack.demo).outsider.get(path),
  };
  const errors = STREAM_ERRORS["workspace.v1.WorkspaceService/WatchWorkspaceEvents"] ?? [];

  test.each(errors)("%s is an error like that of any request", async (code) => {
    const { status, body } = (await causes[code]?.()) ?? { status: 0, body: { code: "" } };
    expect([status, body.code]).toEqual([ruleOf(reasonNamed(code)).httpStatus, code]);
    await setRoleKeys(identity, "User", ["View Workspace"]);
  });
});

describe("by RPC", () => {
  const sessions: Http2SessionManager[] = [];
  afterAll(() => {
    for (const session of sessions) session.abort();
  });

  const surfaces: Readonly<Record<string, (baseUrl: string) => Transport>> = {
    "Connect over HTTP/1.1": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
    "Connect over HTTP/2": (baseUrl) =>
      createConnectTransport({ baseUrl, httpVersion: "2", sessionManager: session(baseUrl) }),
    gRPC: (baseUrl) => createGrpcTransport({ baseUrl, sessionManager: session(baseUrl) }),
    "gRPC-Web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  };

  function session(baseUrl: string): Http2SessionManager {
    const manager = new Http2SessionManager(baseUrl);
    sessions.push(manager);
    return manager;
  }

  test.each(Object.entries(surfaces))("%s has the same events and errors", async (_name, openTransport) => {
    const { watchWorkspaceEvents } = createClient(WorkspaceService, openTransport(stack.services.workspace));
    const headers = { authorization: `Bearer ${stack.demo.users.user.token}` };
    const watch = async (after: string, count: number) => {
      const leaving = new AbortController();
      const received: unknown[] = [];
      const request = create(WatchWorkspaceEventsRequestSchema, { id, after });
      try {
        for await (const { event, position } of watchWorkspaceEvents(request, { headers, signal: leaving.signal })) {
          received.push([event?.action, position]);
          if (received.length === count) leaving.abort();
        }
      } catch (error) {
        if (!leaving.signal.aborted) received.push(codeOf(reasonOf(error)));
      }
      return received;
    };
    await change();
    const [first, second] = (await listed()) as { id: string }[];
    expect(await watch(first?.id ?? "", 2)).toEqual([
      [undefined, first?.id],
      ["update", second?.id],
    ]);
    expect(await watch("1", 1)).toEqual(["INVALID_PARAMETER"]);
  });
});

test("a gateway that stops ends its watches", async () => {
  const stream = await open();
  const stopping = stack.stop();
  expect(await take(stream, 1)).toMatchObject([{ type: "error", data: { code: "UNAVAILABLE" } }]);
  await stopping;
});
