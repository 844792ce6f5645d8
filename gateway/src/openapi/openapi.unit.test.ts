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

test("openapi.json is what the proto files say; else run `npm run generate --workspace gateway`", () => {
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(buildDocument(compileProtos()))));
});

describe("the document", () => {
  const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods) as Operation[]);

  test("says of every operation what it is for, who may, and how it fails", () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { summary, description, responses } of operations()) {
      expect(summary.length * description.length).toBeGreaterThan(0);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "500", "503", "504"]));
    }
  });

  test("refers to no schema that it does not have", () => {
    const names = [...committed.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  test("knows the create request's organization as required, and the reasons of its failures", () => {
    const { requestBody, responses, ...rest } = document.paths["/api/workspaces"]?.["post"] ?? ({} as Operation);
    expect(rest["x-permission"]).toBe("Create Workspace");
    expect(requestBody?.content["application/json"].schema.required).toEqual(["organizationId"]);
    expect(responses["400"]?.description).toContain("`ORGANIZATION_ID_INVALID`: invalid organizationId format");
    expect(responses["500"]?.description).toContain("`WORKSPACE_CREATE_FAILED`: Unable to create workspace");
    expect(responses["201"]?.headers).toHaveProperty("Location");
  });
});

describe("the reference page", () => {
  test("shows every operation and needs nothing but itself", () => {
    const page = renderReference(document);
    for (const path of Object.keys(document.paths)) {
      expect(page).toContain(path.replace(/\{\w+\}/g, "<var>$&</var>"));
    }
    expect(page).not.toMatch(/<script|<img|<link|src=|url\(|https?:/);
    const targets = [...page.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
    expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
  });

  test("lets no text become markup", () => {
    const text = "<b>&\"'`<i>`";
    const page = renderReference({ ...document, info: { ...document.info, title: text, description: text } });
    expect(page).toContain("&#60;b&#62;&#38;&#34;&#39;<code>&#60;i&#62;</code>");
    expect(page).not.toContain("<b>&");
  });
});
