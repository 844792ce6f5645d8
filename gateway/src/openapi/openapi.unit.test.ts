import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { compileProtos } from "../../scripts/compile-protos.ts";
import { renderReference } from "../reference/render-reference.ts";
import { buildDocument } from "./build-document.ts";
import type { OpenapiDocument, Operation } from "./document.ts";

const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
let document: OpenapiDocument;
beforeAll(() => {
  document = JSON.parse(committed) as OpenapiDocument;
});

test("openapi.json matches the proto files; otherwise run `npm run generate --workspace gateway`", () => {
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(buildDocument(compileProtos()))));
});

describe("the document", () => {
  const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods) as Operation[]);

  test("lists 429 with its headers in every operation", () => {
    for (const { responses } of operations()) {
      expect(Object.keys(responses["429"]?.headers ?? {})).toEqual(["Retry-After", "RateLimit-Policy", "RateLimit"]);
    }
  });

  test("lists the headers of rate limits in every success", () => {
    for (const { responses } of operations()) {
      const success = Object.entries(responses).find(([status]) => status.startsWith("2"));
      expect(Object.keys(success?.[1].headers ?? {})).toEqual(
        expect.arrayContaining(["RateLimit-Policy", "RateLimit"]),
      );
    }
  });

  test("lists the refusals that precede every operation, with the body of every error", () => {
    for (const { responses } of operations()) {
      expect(responses).toMatchObject({
        "400": { description: expect.stringContaining("`MALFORMED_REQUEST`") },
        "408": { description: expect.stringContaining("`REQUEST_TIMEOUT`"), content: expect.anything() },
        "431": { description: expect.stringContaining("`HEADERS_TOO_LARGE`"), content: expect.anything() },
      });
    }
  });

  test("describes the purpose, the scope and the errors of every operation", () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { summary, description, responses, "x-scope": scope } of operations()) {
      expect(summary.length * description.length).toBeGreaterThan(0);
      expect(scope).toMatch(
        /^(RECORD|RECORD_OR_OWNER|RECORD_OR_CALLER|RECORD_OR_ALL|CREATION|LIST|LIST_OR_CURRENT|ANY_ORGANIZATION|CALLER)$/,
      );
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "413", "500", "503", "504"]));
    }
  });

  test("shows the scope that each operation declares", () => {
    const scopeOf = (method: string, path: string) => document.paths[path]?.[method]?.["x-scope"];
    expect(scopeOf("put", "/api/workspaces/{id}")).toBe("RECORD");
    expect(scopeOf("put", "/api/designs/{id}")).toBe("RECORD_OR_OWNER");
    expect(scopeOf("get", "/api/environments")).toBe("LIST");
    expect(scopeOf("get", "/api/academy/curricula")).toBe("LIST_OR_CURRENT");
    expect(scopeOf("post", "/api/identity/users")).toBe("ANY_ORGANIZATION");
    expect(scopeOf("get", "/api/identity/users/profile")).toBe("CALLER");
  });

  test("refers only to schemas that it contains", () => {
    const names = [...committed.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  test("lists the organization of a create request as required, and the reasons of its errors", () => {
    const { requestBody, responses, ...rest } = document.paths["/api/workspaces"]?.["post"] ?? ({} as Operation);
    expect(rest["x-permission"]).toBe("Create Workspace");
    expect(rest["x-scope"]).toBe("CREATION");
    expect(requestBody?.content["application/json"].schema.required).toEqual(["organizationId"]);
    expect(responses["400"]?.description).toContain("`ORGANIZATION_ID_INVALID`: invalid organizationId format");
    expect(responses["500"]?.description).toContain("`WORKSPACE_CREATE_FAILED`: Unable to create workspace");
    expect(responses["201"]?.headers).toHaveProperty("Location");
  });
});

describe("the reference page", () => {
  test("shows every operation and is self-contained", () => {
    const page = renderReference(document);
    for (const path of Object.keys(document.paths)) {
      expect(page).toContain(path.replace(/\{\w+\}/g, "<var>$&</var>"));
    }
    expect(page).not.toMatch(/<script|<img|<link|src=|url\(|https?:/);
    const targets = [...page.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });

  test("escapes text in markup", () => {
    const text = "<b>&\"'`<i>`";
    const page = renderReference({ ...document, info: { ...document.info, title: text, description: text } });
    expect(page).toContain("&#60;b&#62;&#38;&#34;&#39;<code>&#60;i&#62;</code>");
    expect(page).not.toContain("<b>&");
  });
});
