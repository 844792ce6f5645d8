import { startTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { createReplyCheck } from "../check-reply.ts";
import { readOpenapi } from "../read-document.ts";
import { type Ids, type Request, urlOf } from "./request.ts";

export const document = readOpenapi();
const check = createReplyCheck(document);

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for none, and for a stream, which is not read. */
  readonly body: unknown;
  readonly isStream: boolean;
}

export interface Stage {
  readonly stack: TestStack;
  /** The ids of records that exist. */
  readonly ids: Ids;
  send(request: Request): Promise<Reply>;
  /** Sends each and returns a line for each that is not accepted, or not answered as documented. */
  accepts(requests: readonly Request[]): Promise<string[]>;
  /** The same for each that is not refused: with 400, unless `isRefusal` names others. */
  refuses(requests: readonly Request[], isRefusal?: (reply: Reply, request: Request) => boolean): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts the system with a record of each kind. */
export async function startStage(): Promise<Stage> {
  await using resources = new AsyncDisposableStack();
  const stack = await startTestStack();
  resources.defer(() => stack.stop());
  const send = (request: Request) => sendTo(stack, request);
  const ids = await createIds(stack, send);
  const tryAll = tryEach.bind(undefined, send);
  const running = resources.move();
  return {
    stack,
    ids,
    send,
    accepts: (requests) => tryAll(requests, ({ status }) => status < 300),
    refuses: (requests, isRefusal = ({ status }) => status === 400) => tryAll(requests, isRefusal),
    stop: () => running.disposeAsync(),
  };
}

async function createIds(stack: TestStack, send: Stage["send"]): Promise<Ids> {
  const { organizations, users, teams, designs, views, environments } = stack.demo;
  const [{ id: organizationId = "" } = {}] = organizations;
  const create = async (path: string) => {
    const request = { method: "POST", path, query: {}, body: { organizationId, name: "x" } };
    const { body } = await send(request);
    return (body as { id: string }).id;
  };
  const [workspace, credentialId, connection] = await Promise.all([
    create("/api/workspaces"),
    create("/api/credentials"),
    create("/api/connections"),
  ]);
  return {
    ...{ organizationId, orgId: organizationId, selectedOrganization: organizationId, credentialId },
    ...{ owner: users.user.id, userId: users.user.id, selectedWorkspace: workspace },
    "/api/workspaces/": workspace,
    "/api/environments/": environments.ordinary,
    "/api/connections/": connection,
    "/api/designs/": designs[0] ?? "",
    "/api/views/": views[0] ?? "",
    "/api/identity/organizations/": organizationId,
    "/api/organizations/": organizationId,
    "/api/identity/teams/": teams.first[0] ?? "",
    "/api/academy/curricula/": await create("/api/academy/curricula"),
  };
}

async function sendTo(stack: TestStack, request: Request): Promise<Reply> {
  const response = await fetch(stack.demo.gateway + urlOf(request), {
    method: request.method,
    headers: {
      authorization: `Bearer ${stack.demo.users.providerAdmin.token}`,
      ...request.headers,
      ...(request.body && { "content-type": "application/json" }),
    },
    ...(request.body && { body: JSON.stringify(request.body) }),
  });
  const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
  if (STREAM.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    return { ...answer, body: undefined, isStream: true };
  }
  const text = await response.text();
  return { ...answer, body: text === "" ? undefined : (JSON.parse(text) as unknown), isStream: false };
}

/** The types of streams, which are not read: their end need not come, and the tests of watches try their messages. */
const STREAM = /^(text\/event-stream|application\/x-ndjson)/;

const MEMBER = /\/members\/[^/]+$/;

async function tryEach(
  send: Stage["send"],
  requests: readonly Request[],
  isExpected: (reply: Reply, request: Request) => boolean,
): Promise<string[]> {
  const faults: string[] = [];
  for (const request of requests) {
    // A member is not added a second time.
    if (request.method === "POST" && MEMBER.test(request.path)) {
      await send({ ...request, method: "DELETE", body: undefined });
    }
    const reply = await send(request);
    const wrong = reply.isStream ? [] : check(request.method, request.path, reply);
    if (!isExpected(reply, request)) wrong.push(`${reply.status} ${JSON.stringify(reply.body)}`);
    const sent = JSON.stringify([request.path, request.query, request.headers, request.body]).slice(0, 300);
    faults.push(...wrong.map((fault) => `${sent}: ${fault}`));
  }
  return faults;
}
