import { readFileSync } from "node:fs";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type ListedOperation, listOperations, resolveSchema } from "../../test/openapi/listed-operations.ts";
import { compileProtos } from "../compile-protos.ts";
import { buildDocument } from "./build-document.ts";

const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
const document = JSON.parse(committed) as OpenapiDocument;
const operations = listOperations(document);

function operationOf(method: string, path: string): ListedOperation {
  const found = operations.find((one) => one.method === method && one.path === path);
  if (found === undefined) throw new Error(`no ${method} ${path}`);
  return found;
}

function codesOf(status: string, { responses }: ListedOperation): unknown {
  return responses[status]?.content?.["application/json"]?.schema.allOf?.[1]?.properties?.["code"]?.enum;
}

test("openapi.json matches the proto files; otherwise run `npm run generate --workspace gateway`", () => {
  expect(document).toEqual(JSON.parse(JSON.stringify(buildDocument(compileProtos()))));
});

test("openapi.yaml is the same document", () => {
  const yaml = readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8");
  expect(parse(yaml)).toEqual(document);
});

describe("every operation", () => {
  test("lists 429 with its headers", () => {
    for (const { responses } of operations) {
      const names = ["X-Request-Id", "Cache-Control", "Retry-After", "RateLimit-Policy", "RateLimit"];
      expect(Object.keys(responses["429"]?.headers ?? {})).toEqual(names);
    }
  });

  test("lists the headers of rate limits in its success", () => {
    for (const { responses } of operations) {
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
      expect(Object.keys(success?.[1].headers ?? {})).toEqual(
        expect.arrayContaining(["X-Request-Id", "Cache-Control", "RateLimit-Policy", "RateLimit"]),
      );
    }
  });

  test("lists the codes of each of its errors, in text and as values", () => {
    for (const operation of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        if (/^[23]/.test(status)) continue;
        expect(codesOf(status, operation)).toEqual(description.match(/(?<=^`)[A-Z_]+(?=`: )/gm));
      }
    }
  });

  test("lists the refusals that precede it", () => {
    for (const operation of operations) {
      expect(codesOf("400", operation)).toEqual(expect.arrayContaining(["MALFORMED_REQUEST", "INVALID_PARAMETER"]));
      expect(codesOf("408", operation)).toEqual(["REQUEST_TIMEOUT"]);
      expect(codesOf("431", operation)).toEqual(["HEADERS_TOO_LARGE"]);
      expect(operation.responses["401"]?.headers).toHaveProperty("WWW-Authenticate");
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["413", "500", "503", "504"]));
    }
  });

  test("lists the headers of its request", () => {
    for (const { method, path, parameters, responses } of operations) {
      const headers = parameters.flatMap((one) => (one.in === "header" ? [one.name] : []));
      expect(headers.slice(-3)).toEqual(["service-current-orgid", "X-Request-Id", "traceparent"]);
      const [own, ...others] = headers.slice(0, -3);
      expect([method, path, own, others]).toEqual([method, path, ownHeaderOf(path, method, responses), []]);
    }
  });

  test("has a menu entry, a description, an id and a scope", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(operation.summary).toMatch(/^[A-Z][a-z, ]{3,40}$/);
      expect(operation.description).toMatch(/^[A-Z].*\.$/s);
      expect(operation["x-scope"]).toMatch(
        /^(RECORD|RECORD_OR_OWNER|RECORD_OR_CALLER|RECORD_OR_ALL|CREATION|LIST|LIST_OR_CURRENT|ANY_ORGANIZATION|CALLER)$/,
      );
    }
  });
});

test("shows the scope that an operation declares", () => {
  const scopeOf = (method: string, path: string) => operationOf(method, path).operation["x-scope"];
  expect(scopeOf("put", "/api/workspaces/{id}")).toBe("RECORD");
  expect(scopeOf("put", "/api/designs/{id}")).toBe("RECORD_OR_OWNER");
  expect(scopeOf("get", "/api/environments")).toBe("LIST");
  expect(scopeOf("get", "/api/academy/curricula")).toBe("LIST_OR_CURRENT");
  expect(scopeOf("post", "/api/identity/users")).toBe("ANY_ORGANIZATION");
  expect(scopeOf("get", "/api/identity/users/profile")).toBe("CALLER");
});

test("refers only to parts that it contains", () => {
  const references = [...committed.matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)];
  const parts = document.components as unknown as Record<string, Record<string, unknown>>;
  expect(references.flatMap(([text, kind = "", name = ""]) => (parts[kind]?.[name] ? [] : [text]))).toEqual([]);
});

test("lists the organization of a create request as required, and the reasons of its errors", () => {
  const create = operationOf("post", "/api/workspaces");
  const { requestBody } = create.operation;
  expect(create.operation["x-permission"]).toBe("Create Workspace");
  expect(create.operation["x-rpc"]).toBe("workspace.v1.WorkspaceService/CreateWorkspace");
  expect(requestBody?.required).toBe(true);
  const schema = resolveSchema(document, requestBody?.content["application/json"]?.schema ?? {});
  expect(schema.required).toEqual(["organizationId"]);
  expect(schema.properties?.["name"]).toEqual({ type: "string", maxLength: 255 });
  expect(codesOf("400", create)).toContain("ORGANIZATION_ID_INVALID");
  expect(create.responses["500"]?.description).toContain("`WORKSPACE_CREATE_FAILED`: Unable to create workspace");
  expect(create.responses["201"]?.headers).toHaveProperty("Location");
});

/** The header of a request that creates, changes or reads one record. */
function ownHeaderOf(path: string, method: string, responses: ListedOperation["responses"]): string | undefined {
  if ("201" in responses) return "Idempotency-Key";
  if ("412" in responses) return "If-Match";
  if (path.endsWith(":watch")) return "Last-Event-ID";
  return method === "get" && "304" in responses ? "If-None-Match" : undefined;
}

test("a record that has an entity tag is read, created and updated with it as a header", () => {
  for (const [path, method, status] of [
    ["/api/workspaces/{id}", "get", "200"],
    ["/api/workspaces/{id}", "get", "304"],
    ["/api/workspaces/{id}", "put", "200"],
    ["/api/workspaces", "post", "201"],
    ["/api/identity/tokens", "post", "201"],
  ] as const) {
    expect(Object.keys(operationOf(method, path).responses[status]?.headers ?? {})).toContain("ETag");
  }
  expect(operationOf("get", "/api/workspaces/{id}").responses["304"]).not.toHaveProperty("content");
  expect(Object.keys(operationOf("get", "/api/workspaces").responses["200"]?.headers ?? {})).not.toContain("ETag");
});

test("a body has no field that the path binds", () => {
  const { requestBody } = operationOf("put", "/api/workspaces/{id}").operation;
  const schema = resolveSchema(document, requestBody?.content["application/json"]?.schema ?? {});
  expect(Object.keys(schema.properties ?? {})).toEqual(["name", "description", "metadata", "etag"]);
});

test("a record contains what it always contains, and null only for a time that may be absent", () => {
  const { properties = {}, required } = document.components.schemas["Workspace"] ?? {};
  expect(required).toEqual(Object.keys(properties));
  expect(properties["createdAt"]?.type).toBe("string");
  expect(properties["deletedAt"]?.type).toEqual(["string", "null"]);
  expect(document.components.schemas["ListWorkspacesResponse"]?.required).not.toContain("totalCountCapped");
});

test("the misspelt path of curricula and the paths of published clients are deprecated", () => {
  const deprecated = operations.filter(({ operation }) => operation.deprecated);
  const published = /, published path$/;
  const others = deprecated.filter(({ operation }) => !published.test(operation.summary ?? ""));
  expect(others.map(({ path }) => path)).toEqual(["/api/academy/cirricula"]);
  expect(deprecated.length - others.length).toBe(43);
  for (const { operation } of deprecated.filter((one) => !others.includes(one))) {
    expect(operation.operationId).toMatch(/AsPublished$/);
  }
});
