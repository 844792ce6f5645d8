import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { root } from "./programs.ts";
import { renderNatsAccounts, renderNatsAuthorization } from "./render-nats-authorization.ts";

test.each([
  ["deploy/nats/authorization.conf", renderNatsAuthorization],
  ["deploy/overlays/production/nats/accounts.yaml", renderNatsAccounts],
])("the users of NATS in %s may do what the services' code needs, and nothing else", (path, render) => {
  const file = root + path;
  const rendered = render();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, rendered);
  expect(readFileSync(file, "utf8")).toBe(rendered);
});
