import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { findSnippets } from "@cloud/packing/testing";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openPage, startBrowser } from "./browser.ts";
import type { Browser, Page } from "./playwright.ts";
import { type Site, serveFolder } from "./serve-folder.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

let browser: Browser;
let folder: string;
let site: Site;
/** A system without the setting, and one with it for the first origin of the site. */
let closed: OwnTestStack;
let open: OwnTestStack;
beforeAll(async () => {
  // Within the repository, so that its packages are found.
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  folder = await mkdtemp(join(ROOT, ".cache/page-"));
  await bundlePage();
  await writeFile(join(folder, "watch.js"), await readSnippet("watch.js"));
  site = await serveFolder(folder);
  // Started in sequence: if one fails, afterAll stops what has started.
  browser = await startBrowser();
  closed = await startTestStack();
  open = await startTestStack({ corsOrigins: [site.origins[0]] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([closed?.stop(), open?.stop()]);
  await site?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a file of docs/clients.md. */
async function readSnippet(name: string): Promise<string> {
  const snippets = findSnippets(await readFile(join(ROOT, "docs/clients.md"), "utf8"));
  return snippets.find((snippet) => snippet.kind === "file" && snippet.name === name)?.text ?? "";
}

async function bundlePage(): Promise<void> {
  const source = join(folder, "source.mjs");
  await writeFile(source, await readSnippet("browser.js"));
  const options = ["--bundle", "--format=esm", `--outfile=${join(folder, "browser.js")}`, "--log-level=warning"];
  await run(join(ROOT, "node_modules/.bin/esbuild"), [source, ...options], { cwd: ROOT });
}

/** Evaluates an expression in a page of the origin. Returns the text of the error if it fails. */
async function evaluateAt(origin: string, expression: string): Promise<unknown> {
  const { page } = await openPage(browser);
  try {
    await page.goto(`${origin}/page`);
    return await evaluate(page, expression);
  } finally {
    await page.context().close();
  }
}

const evaluate = (page: Page, expression: string) =>
  page.evaluate(`(async () => ${expression})().catch((error) => String(error))`);

const token = (stack: OwnTestStack) => stack.demo.users.orgAdmin.token;
const greet = (stack: OwnTestStack, options = "{}") =>
  `(await import("/browser.js")).greet("${stack.services.identity}", "${token(stack)}", ${options})`;
const RPC = [
  ["Connect", "{}"],
  ["gRPC-Web", "{ grpcWeb: true }"],
] as const;

const read = (stack: OwnTestStack) => `{
  const headers = { Authorization: "Bearer ${token(stack)}" };
  const response = await fetch("${stack.gateway}/api/workspaces?orgId=${stack.demo.organizations[0]?.id}", { headers });
  return [response.status, response.headers.get("X-Request-Id") !== null];
}`;
const created = (stack: OwnTestStack) => `{
  const headers = {
    Authorization: "Bearer ${token(stack)}",
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
  };
  const body = JSON.stringify({ organizationId: "${stack.demo.organizations[0]?.id}", name: "From a page" });
  const response = await fetch("${stack.gateway}/api/workspaces", { method: "POST", headers, body });
  return [response.status, response.headers.get("Location").slice(0, 16)];
}`;
const refused = (stack: OwnTestStack) => `{
  const headers = { Authorization: "Bearer ${token(stack)}", "Content-Type": "application/json" };
  const url = "${stack.services.workspace}/workspace.v1.WorkspaceService/GetWorkspace";
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ id: "none" }) });
  return [response.status, (await response.json()).message];
}`;

describe("a page of a permitted origin", () => {
  test.each(RPC)("calls by %s", async (_, options) => {
    expect(await evaluateAt(site.origins[0], greet(open, options))).toBe("Hello, Otto");
  });

  test("reads and creates by REST, and reads the headers of replies", async () => {
    expect(await evaluateAt(site.origins[0], read(open))).toEqual([200, true]);
    expect(await evaluateAt(site.origins[0], created(open))).toEqual([201, "/api/workspaces/"]);
  });

  test("reads errors of RPCs", async () => {
    expect(await evaluateAt(site.origins[0], refused(open))).toEqual([404, "workspace not found"]);
  });
});

test("a page of a permitted origin watches the log of a workspace, and continues where it left", async () => {
  const gateway = open.demo.gateway;
  const headers = { Authorization: `Bearer ${token(open)}`, "Content-Type": "application/json" };
  const send = async (method: string, path: string, body: unknown) =>
    (await fetch(`${gateway}/api/workspaces${path}`, { method, headers, body: JSON.stringify(body) })).json();
  const organizationId = open.demo.organizations[0]?.id;
  const { id } = (await send("POST", "", { organizationId, name: "Watched" })) as { id: string };
  const update = (description: string) => send("PUT", `/${id}`, { description });

  const { page } = await openPage(browser);
  await page.goto(`${site.origins[0]}/page`);
  const begin = (position?: string) =>
    evaluate(
      page,
      `{
        const { watch } = await import("/watch.js");
        globalThis.log = watch("${gateway}", "${token(open)}", "${id}", ${JSON.stringify(position)});
        return (await log.next()).value;
      }`,
    );
  const next = () =>
    evaluate(page, "{ const { value } = await log.next(); return [value.position, value.event.action]; }");

  const first = (await begin()) as { position: string; event?: unknown };
  expect(first).toEqual({ position: expect.any(String) });
  await update("one");
  const [position, action] = (await next()) as [string, string];
  expect(action).toBe("update");
  await update("two");
  await begin(position);
  expect(await next()).toEqual([expect.not.stringContaining(position), "update"]);
  await begin(first.position);
  expect(await next()).toEqual([position, "update"]);
  expect(
    await evaluateAt(site.origins[1], `(await import("/watch.js")).watch("${gateway}", "x", "${id}").next()`),
  ).toBe("TypeError: Failed to fetch");
  await page.context().close();
}, 60_000);

describe.each<[string, 0 | 1, () => OwnTestStack]>([
  ["a page of another origin", 1, () => open],
  ["a page of any origin without the setting", 0, () => closed],
])("%s", (_, origin, stack) => {
  test.each(RPC)(
    "gets no reply by %s",
    async (_name, options) => {
      expect(await evaluateAt(site.origins[origin], greet(stack(), options))).toContain("Failed to fetch");
    },
    60_000,
  );

  test("gets no reply by REST, and creates nothing", async () => {
    expect(await evaluateAt(site.origins[origin], read(stack()))).toBe("TypeError: Failed to fetch");
    expect(await evaluateAt(site.origins[origin], created(stack()))).toBe("TypeError: Failed to fetch");
    const { gateway, demo } = stack();
    const headers = { Authorization: `Bearer ${token(stack())}` };
    const list = await fetch(`${gateway}/api/workspaces?orgId=${demo.organizations[0]?.id}&search=page`, { headers });
    const { workspaces } = (await list.json()) as { workspaces: { name: string }[] };
    // The one that the permitted page of the same stack has created.
    const permitted = stack() === open ? 1 : 0;
    expect(workspaces.filter(({ name }) => name === "From a page")).toHaveLength(permitted);
  });
});
