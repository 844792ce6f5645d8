import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ListedOperation, listOperations } from "../listed-operations.ts";
import { bodyOf, type Ids, minimalRequest, queryOf, type Request } from "./request.ts";
import { document, type Reply, type Stage, startStage } from "./stage.ts";

// Sends ids that are no UUIDs wherever the document has ids, and headers at and beyond what it says of them.

let stage: Stage;
let ids: Ids;
beforeAll(async () => {
  stage = await startStage();
  const { ids: known } = stage;
  const kinds = {
    workspace: known["/api/workspaces/"],
    environment: known["/api/environments/"],
    connection: known["/api/connections/"],
    design: known["/api/designs/"],
    view: known["/api/views/"],
    team: known["/api/identity/teams/"],
    organization: known["organizationId"],
  };
  const named = Object.entries(kinds).map(([kind, id = ""]) => [`${kind}Id`, id]);
  // The paths of published clients, and records that only a path names.
  const places = listOperations(document).flatMap(({ path }) =>
    [...path.matchAll(/\{(?:id|organizationId)\}/g)].map(({ index }) => path.slice(0, index)),
  );
  const others = places.map((place) => [
    place,
    /\/(orgs|organizations)\/$/.test(place) ? kinds.organization : /\/teams\/$/.test(place) ? kinds.team : randomUUID(),
  ]);
  ids = { ...Object.fromEntries([...others, ...named]), ...known };
});
afterAll(() => stage.stop());

const operations = listOperations(document);
const minimalOf = (listed: ListedOperation) => minimalRequest(document, listed, ids);
const nameOf = (listed: ListedOperation) => [String(listed.operation.operationId), listed] as const;

const NO_IDS = ["x", "00000000-0000-7000-8000-00000000000g", "019b76da-a800-7000-8000-0000000000011"];

/** Each request with an id that is none in one place of its path. */
function withoutIdsInPath(listed: ListedOperation): Request[] {
  const minimal = minimalOf(listed);
  const whole = minimal.path.split("/");
  return listed.path.split("/").flatMap((segment, at) =>
    segment.includes("{")
      ? NO_IDS.map((none) => ({
          ...minimal,
          path: whole.with(at, segment.replace(/\{\w+\}/, none)).join("/"),
        }))
      : [],
  );
}

test.each(operations.filter(({ path }) => path.includes("{")).map(nameOf))(
  "%s: an id in the path that is no UUID names nothing",
  async (_, listed) => {
    expect(await stage.refuses(withoutIdsInPath(listed), ({ status }) => status === 404)).toEqual([]);
  },
);

/** Whether the document describes a header as ignored: only services send it. */
const isIgnored = (description = "") => /\bignored otherwise\b/.test(description);
/** The field that another one replaces where it is empty, as published clients send it. */
const replacedBy = (description = "") => /^The same as `(\w+)`, where that is empty/.exec(description)?.[1];

/** Each request with an id that is none in one parameter of its query, or one field of its body. */
function withoutIds(listed: ListedOperation): Request[] {
  const { query, body, ...minimal } = minimalOf(listed);
  const bound = new Set(listed.parameters.filter((one) => one.in === "path").map(({ name }) => name));
  const isTried = ({ description }: { readonly description?: string | undefined }) =>
    !(isIgnored(description) || bound.has(replacedBy(description) ?? ""));
  const without = (from: object, name = "") => Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
  const parameters = queryOf(listed)
    .filter((one) => (one.schema?.format === "uuid" || one.name === "orgId") && isTried(one))
    .flatMap(({ name, description }) =>
      NO_IDS.map((none) => ({ ...minimal, body, query: { ...without(query, replacedBy(description)), [name]: none } })),
    );
  const fields = Object.entries(bodyOf(document, listed).properties ?? {})
    .filter(([, one]) => one.format === "uuid" && isTried(one))
    .flatMap(([name, { description }]) =>
      NO_IDS.map((none) => ({
        ...minimal,
        query,
        body: { ...without(body ?? {}, replacedBy(description)), [name]: none },
      })),
    );
  return [...parameters, ...fields];
}

const takesIds = (listed: ListedOperation) =>
  [...queryOf(listed).map(({ schema }) => schema), ...Object.values(bodyOf(document, listed).properties ?? {})].some(
    (schema) => schema?.format === "uuid",
  ) || queryOf(listed).some(({ name }) => name === "orgId");

test.each(operations.filter(takesIds).map(nameOf))(
  "%s: an id that is no UUID is refused elsewhere, too",
  async (_, listed) => {
    const isRefusal = ({ status }: Reply) => status === 400 || status === 404;
    expect(await stage.refuses(withoutIds(listed), isRefusal)).toEqual([]);
  },
);

/** The operations that take a header, each with a request that has it. */
const taking = (header: string) =>
  operations.filter(({ parameters }) => parameters.some(({ name }) => name === header)).map(nameOf);
const withHeader = (listed: ListedOperation, name: string, values: readonly string[]) =>
  values.map((value) => ({ ...minimalOf(listed), headers: { [name]: value } }));

describe.each(["If-Match", "If-None-Match"])("%s", (header) => {
  test.each(taking(header))("%s refuses what is no entity tag", async (_, listed) => {
    const requests = withHeader(listed, header, ["x", '"x', '"a", b', "W/x"]);
    expect(await stage.refuses(requests)).toEqual([]);
  });
});

describe("Idempotency-Key", () => {
  test.each(taking("Idempotency-Key"))("%s refuses what is longer, or not printable ASCII", async (_, listed) => {
    const requests = withHeader(listed, "Idempotency-Key", ["k".repeat(256), "\xe9", "a\tb"]);
    expect(await stage.refuses(requests)).toEqual([]);
  });

  test.each(taking("Idempotency-Key"))("%s accepts the longest", async (_, listed) => {
    const key = randomUUID().padEnd(255, " ~");
    expect(await stage.accepts(withHeader(listed, "Idempotency-Key", [key]))).toEqual([]);
  });
});

describe("headers of any request", () => {
  const readable = operations.filter(
    ({ method, operation }) =>
      method === "get" && ["GetWorkspace", "ListWorkspaces"].includes(`${operation.operationId}`),
  );

  test.each(readable.map(nameOf))("%s ignores a current organization that is no id", async (_, listed) => {
    expect(await stage.accepts(withHeader(listed, "service-current-orgid", NO_IDS))).toEqual([]);
  });

  test.each(readable.map(nameOf))("%s returns the id of the request, or replaces it", async (_, listed) => {
    const sent = ["~", "x".repeat(128), "x".repeat(129), "a b", "\xe9"];
    const requests = withHeader(listed, "X-Request-Id", sent);
    expect(await stage.accepts(requests)).toEqual([]);
    const returned: (string | undefined)[] = [];
    for (const request of requests) returned.push((await stage.send(request)).headers["x-request-id"]);
    expect(returned.map((id, index) => id === sent[index])).toEqual([true, true, false, false, false]);
  });
});
