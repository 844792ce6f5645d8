import { randomUUID } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "@cloud/transcoder/openapi";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ListedOperation, listOperations, resolveSchema } from "../listed-operations.ts";
import { bodyOf, type Ids, minimalRequest, queryOf, type Request } from "./request.ts";
import { document, type Reply, type Stage, startStage } from "./stage.ts";
import { valuesOf } from "./values.ts";

// Sends what the document says of requests: what it allows is accepted, what is beyond a limit refused, and anything
// else ignored. Every reply is one that the document lists.

/** Which entity tag a request takes depends on the record: test/cases has requests with each. */
const isTried = ({ name }: { readonly name: string }) => name !== "etag";
const operations = listOperations(document).filter(
  (listed) => listed.operation.requestBody !== undefined || queryOf(listed).some(isTried),
);

/**
 * The operations without three kinds: the paths of published clients, which take the same as another operation;
 * deletions, whose first request ends the record that the others name; and GetOwnInvitation, whose only parameter, the
 * organization, decides whose invitation it is.
 */
const tried = operations.filter(
  ({ method, operation: { operationId = "" } }) =>
    !operationId.endsWith("AsPublished") && method !== "delete" && operationId !== "GetOwnInvitation",
);

let stage: Stage;
let ids: Ids;
beforeAll(async () => {
  stage = await startStage();
  ({ ids } = stage);
});
afterAll(() => stage.stop());

/** The ids that a field takes. An id that no user may send is ignored, so that any is accepted. */
function idsOf(name: string): string[] {
  const id = ids[name];
  if (name === "cursor") return [""];
  if (name === "after") return [NIL]; // all lines of the log
  if (id === undefined) return [randomUUID()];
  if (name === "orgId") return [id, "all"];
  return name === "userId" ? [stage.stack.demo.users.outsider.id] : [id];
}

/** The specification wants 500 where a name or description of these is too long; anything else is 400. */
const TOO_LONG: Readonly<Record<string, string>> = {
  CreateWorkspace: "WORKSPACE_CREATE_FAILED",
  UpdateWorkspace: "WORKSPACE_UPDATE_FAILED",
  CreateEnvironment: "ENVIRONMENT_CREATE_FAILED",
  UpdateEnvironment: "ENVIRONMENT_UPDATE_FAILED",
};
const isRefusal =
  ({ operation: { operationId = "" } }: ListedOperation) =>
  ({ status, body: reply }: Reply, { body = {} }: Request) => {
    const code = TOO_LONG[operationId];
    const isTooLong = [body["name"], body["description"]].some(
      (text) => typeof text === "string" && [...text].length > 255,
    );
    if (code === undefined || !isTooLong) return status === 400;
    return status === 500 && (reply as { code: string }).code === code;
  };

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
      const isInvitee = name === "userId" && listed.operation.operationId.startsWith("CreateInvitation");
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
    expect(await stage.accepts([minimalRequest(document, listed, ids), ...requests])).toEqual([]);
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
    expect(await stage.refuses([...beyond, ...lacking], isRefusal(listed))).toEqual([]);
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
    expect(await stage.accepts(fresh)).toEqual([]);
  });
});

test("the three forms of a filter mean the same", async () => {
  const listed = operations.find(({ operation }) => operation.operationId === "ListWorkspaceTeams");
  const minimal = minimalRequest(document, listed as ListedOperation, ids);
  const totals = ["filter=%7B%22assigned%22%3Afalse%7D", "filter.assigned=false", "filter[assigned]=false"].map(
    async (query) => {
      const { body } = await stage.send({ ...minimal, path: `${minimal.path}?${query}` });
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
  expect(await stage.accepts(requests(256, "accepted"))).toHaveLength(1);
  expect(await stage.refuses(requests(254, "refused"))).toHaveLength(1);
});
