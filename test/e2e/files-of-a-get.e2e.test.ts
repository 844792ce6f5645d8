import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { restClients } from "./rest.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Of programs, without generated code, which is elsewhere or in a folder `gen`. */
const OURS = /^(?:packages|services|gateway)\/(?!.*\/gen\/)(?:.*\/)?src\//;

let stack: OwnTestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** Enough that no timer of other parts fires during each of them. */
const REQUESTS = 25;

/** Returns our files of which a function runs during each of the requests, in any program of this process. */
async function filesRunBy(request: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const seen = new Map<string, number>();
  for (let n = 0; n < REQUESTS; n++) {
    await session.post("Profiler.takePreciseCoverage"); // counts from here on
    await request();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const run = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    for (const url of new Set(run.map(({ url }) => url))) seen.set(url, (seen.get(url) ?? 0) + 1);
  }
  session.disconnect();
  const each = [...seen].filter(([, times]) => times === REQUESTS);
  // Jest names a module by its path, Node by its URL.
  const files = each.map(([url]) => (url.startsWith("file:") ? fileURLToPath(url) : url).replace(ROOT, ""));
  return files.filter((file) => OURS.test(file));
}

/** The files that the section of the page lists. */
function listedFiles(): string[] {
  const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, section = ""] = /^## The files of a GET\n([\s\S]*?)^## /m.exec(page) ?? [];
  return [...section.matchAll(/^\| `(\S+\.ts)` \|/gm)].map(([, file = ""]) => file);
}

test("docs/architecture.md lists the files that a GET of one workspace runs, at most 50", async () => {
  const { orgAdmin } = restClients(stack.demo);
  const { body } = await orgAdmin.get(`/workspaces?orgId=${stack.demo.organizations[0]?.id}`);
  const get = async () => expect((await orgAdmin.get(`/workspaces/${body.workspaces[0].id}`)).status).toBe(200);
  for (let n = 0; n < 5; n++) await get(); // connections, prepared statements, compiled writers

  const files = await filesRunBy(get);
  expect(files.toSorted()).toEqual(listedFiles().toSorted());
  expect(files.length).toBeLessThanOrEqual(50);
});
