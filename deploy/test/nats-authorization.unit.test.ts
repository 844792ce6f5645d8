import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { root } from "./programs.ts";
import { renderNatsAuthorization } from "./render-nats-authorization.ts";

const FILE = `${root}deploy/nats/authorization.conf`;

test("the users of NATS may do what the services' code needs, and nothing else", () => {
  const rendered = renderNatsAuthorization();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(FILE, rendered);
  expect(readFileSync(FILE, "utf8")).toBe(rendered);
});
