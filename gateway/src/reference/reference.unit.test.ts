import { readFileSync } from "node:fs";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { expect, test } from "@jest/globals";
import { renderReference } from "./render-reference.ts";

const text = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
const document = JSON.parse(text) as OpenapiDocument;

test("the plain page shows every operation and is self-contained", () => {
  const page = renderReference(document);
  for (const path of Object.keys(document.paths)) {
    expect(page).toContain(path.replace(/\{\w+\}/g, "<var>$&</var>"));
  }
  expect(page).not.toMatch(/<script|<img|<link|src=|url\(|https?:\/\/(?!example\.com)/);
  const targets = [...page.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
});

test("the plain page escapes text in markup", () => {
  const title = "<b>&\"'`<i>`";
  const page = renderReference({ ...document, info: { ...document.info, title, description: title } });
  expect(page).toContain("&#60;b&#62;&#38;&#34;&#39;<code>&#60;i&#62;</code>");
  expect(page).not.toContain("<b>&");
});
