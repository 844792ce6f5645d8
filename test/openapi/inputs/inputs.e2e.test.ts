import { randomUUID } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import { startTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import type { Schema } from "@cloud/transcoder/openapi";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ListedOperation, listOperations, resolveSchema } from "../../../gateway/src/openapi/listed-operations.ts";
import { createReplyCheck } from "../check-reply.ts";
import { readOpenapi } from "../read-document.ts";
import { bodyOf, type Ids, minimalRequest, queryOf, type Request, urlOf } from "./request.ts";
import { valuesOf } from "./values.ts";

// Sends what the document says of requests: what it allows is accepted, what is beyond a limit refused, and anything else
// ignored. Every reply is one that the document lists.

const document = readOpenapi();
const check = createReplyCheck(document);
/** Which entity tag a request takes depends on the record: test/cases has requests with each. */
const isTried = ({ name }: { readonly name: string }) => name !== "etag";
const operations = listOperations(document).filter(
  (listed) => listed.operation.requestBody !== undefined || queryOf(listed).some(isTried),
);

/**
 * Without those that take nothing else than another operation (the paths of published clients), that delete what the first
 * request names, and the one whose only parameter, the organization, decides whose invitation it is.
 */
const tried = operations.filter(
  ({ method, operation: { operationId = "" } }) =>
    !operationId.endsWith("AsPublished") && method !== "delete" && operationId !== "GetOwnInvitation",
);

let stack: TestStack;
let ids: Ids;
beforeAll(async () => {
  stack = await startTestStack();
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
  ids = {
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
});
afterAll(() => stack.stop());

async function send(request: Request) {
  const response = await fetch(stack.demo.gateway + urlOf(request), {
    method: request.method,
    headers: {
      authorization: `Bearer ${stack.demo.users.providerAdmin.token}`,
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

/** Its end need not come, and its messages are tried by the tests of watches. */
const STREAM = /^(text\/event-stream|application\/x-ndjson)/;

const MEMBER = /\/members\/[^/]+$/;

/** Sends each and returns a line for each that is not treated, or answered, as documented. */
async function tryAll(requests: readonly Request[], isExpected: (status: number) => boolean): Promise<string[]> {
  const faults: string[] = [];
  for (const request of requests) {
    // A member is not added a second time.
    if (request.method === "POST" && MEMBER.test(request.path)) {
      await send({ ...request, method: "DELETE", body: undefined });
    }
    const reply = await send(request);
    const wrong = reply.isStream ? [] : check(request.method, request.path, reply);
    if (!isExpected(reply.status)) wrong.push(`${reply.status} ${JSON.stringify(reply.body)}`);
    const sent = JSON.stringify([request.query, request.body]).slice(0, 300);
    faults.push(...wrong.map((fault) => `${sent}: ${fault}`));
  }
  return faults;
}

const accepts = (requests: readonly Request[]) => tryAll(requests, (status) => status < 300);
const refuses = (requests: readonly Request[]) => tryAll(requests, (status) => status >= 400);

/** The ids that a field takes. An id that no user may send is ignored, so that any is accepted. */
function idsOf(name: string): string[] {
  const id = ids[name];
  if (name === "cursor") return [""];
  if (name === "after") return [NIL]; // all lines of the log
  if (id === undefined) return [randomUUID()];
  if (name === "orgId") return [id, "all"];
  return name === "userId" ? [stack.demo.users.outsider.id] : [id];
}

const NIL = "00000000-0000-0000-0000-000000000000";
const ID: Schema = { type: "string", format: "uuid" };

interface Input {
  readonly name: string;
  readonly schema: Schema;
  with(value: JsonValue): Request;
}

/** Lists the parameters and fields, each with a request that is minimal but for it. */
function inputsOf(listed: ListedOperation): Input[] {
  const minimal = () => minimalRequest(document, listed, ids);
  const parameters = queryOf(listed).map(({ name, schema, content }) => ({
    name,
    // Described as texts: one is an id or `all`, the others are of an earlier reply.
    schema: ["orgId", "cursor", "after"].includes(name)
      ? ID
      : resolveSchema(document, schema ?? content?.["application/json"]?.schema ?? {}),
    with: (value: JsonValue) => ({ ...minimal(), query: { ...minimal().query, [name]: value } }),
  }));
  const fields = Object.entries(bodyOf(document, listed).properties ?? {}).map(([name, schema]) => ({
    name,
    schema,
    with: (value: JsonValue) => {
      const { email: _email, ...others } = minimal().body ?? {};
      const isInvitee = name === "userId" && listed.operation.operationId === "CreateInvitation";
      return { ...minimal(), body: { ...(isInvitee ? others : minimal().body), [name]: value } };
    },
  }));
  return [...parameters, ...fields].filter(isTried);
}

describe.each(tried.map((listed) => [listed.operation.operationId, listed] as const))("%s", (_, listed) => {
  test("accepts what is documented, up to each limit", async () => {
    const requests = inputsOf(listed).flatMap((input) =>
      valuesOf(input.schema, idsOf(input.name)).accepted.map((value) => input.with(value)),
    );
    expect(await accepts([minimalRequest(document, listed, ids), ...requests])).toEqual([]);
  });

  test("refuses what is beyond a limit, and a request without what is required", async () => {
    const isQuery = listed.operation.requestBody === undefined;
    const beyond = inputsOf(listed).flatMap((input) =>
      valuesOf(input.schema, [])
        // In a query, no item is no parameter.
        .refused.filter((value) => !(isQuery && Array.isArray(value) && value.length === 0))
        .map((value) => input.with(value)),
    );
    const { query, body, ...minimal } = minimalRequest(document, listed, ids);
    const parameters = queryOf(listed).filter(({ required }) => required);
    const without = (from: object, name: string) =>
      Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
    const lacking = [
      ...parameters.map(({ name }) => ({ ...minimal, body, query: without(query, name) })),
      ...(bodyOf(document, listed).required ?? []).map((name) => ({
        ...minimal,
        query,
        body: without(body ?? {}, name),
      })),
      ...(listed.operation.requestBody?.required ? [{ ...minimal, query, body: undefined }] : []),
    ] as Request[];
    expect(await refuses([...beyond, ...lacking])).toEqual([]);
  });

  test("ignores what is not documented", async () => {
    const minimal = minimalRequest(document, listed, ids);
    const unknown = [
      { ...minimal, query: { ...minimal.query, colour: "red" } },
      ...(minimal.body
        ? [{ ...minimal, body: { ...minimalRequest(document, listed, ids).body, colour: { red: 1 } } }]
        : []),
      ...(listed.operation.requestBody?.required === false ? [{ ...minimal, body: undefined }] : []),
    ];
    // An email is taken by the first request that has it.
    const fresh = unknown.map(({ body, ...rest }) =>
      body && "email" in body
        ? { ...rest, body: { ...body, email: `${randomUUID()}@example.com` } }
        : { ...rest, body },
    );
    expect(await accepts(fresh)).toEqual([]);
  });
});

test("the three forms of a filter mean the same", async () => {
  const listed = operations.find(({ operation }) => operation.operationId === "ListWorkspaceTeams");
  const minimal = minimalRequest(document, listed as ListedOperation, ids);
  const totals = ["filter=%7B%22assigned%22%3Afalse%7D", "filter.assigned=false", "filter[assigned]=false"].map(
    async (query) => {
      const { body } = await send({ ...minimal, path: `${minimal.path}?${query}` });
      return (body as { totalCount: number }).totalCount;
    },
  );
  const [first, ...others] = await Promise.all(totals);
  expect(first).toBeGreaterThan(0);
  expect(others).toEqual([first, first]);
});

test("control: a limit that is one off, either way, is found", async () => {
  const listed = operations.find(({ operation }) => operation.operationId === "CreateWorkspace") as ListedOperation;
  const [name] = inputsOf(listed).filter((input) => input.name === "name") as [Input];
  const requests = (maxLength: number, which: "accepted" | "refused") =>
    valuesOf({ ...name.schema, maxLength }, [])[which].map((value) => name.with(value));
  expect(await accepts(requests(256, "accepted"))).toHaveLength(1);
  expect(await refuses(requests(254, "refused"))).toHaveLength(1);
});
