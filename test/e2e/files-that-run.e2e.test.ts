import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import { waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type RestCalls, restClients } from "./rest.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Files of programs, without generated code, which is elsewhere or in a folder `gen`. */
const OURS = /^(?:packages|services|gateway)\/(?!testkit\/|.*\/gen\/)(?:.*\/)?src\//;

/** Enough that no timer of other parts fires during most of them. */
const ROUNDS = 25;

let stack: OwnTestStack;
let orgAdmin: RestCalls;
let database: pg.Client;
let organizationId: string;
let workspaceId: string;
beforeAll(async () => {
  stack = await startTestStack();
  ({ orgAdmin } = restClients(stack.demo));
  database = new pg.Client({ connectionString: stack.superuserUrl });
  await database.connect();
  organizationId = stack.demo.organizations[0]?.id ?? "";
  workspaceId = (await orgAdmin.get(`/workspaces?orgId=${organizationId}`)).body.workspaces[0].id;
});
afterAll(async () => {
  await database.end();
  await stack.stop();
});

/** Returns our files that have a function which runs in most rounds, in any program of this process. */
async function filesRunBy(rounds: readonly (() => Promise<unknown>)[]): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const seen = new Map<string, number>();
  for (const round of rounds) {
    await session.post("Profiler.takePreciseCoverage"); // counts from here on
    await round();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const run = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    for (const url of new Set(run.map(({ url }) => url))) seen.set(url, (seen.get(url) ?? 0) + 1);
  }
  session.disconnect();
  // The profiler misses a function now and then, while V8 replaces its code.
  const each = [...seen].filter(([, times]) => times > rounds.length / 2);
  // Jest names a module by its path, Node by its URL.
  const files = each.map(([url]) => (url.startsWith("file:") ? fileURLToPath(url) : url).replace(ROOT, ""));
  return files.filter((file) => OURS.test(file)).toSorted();
}

/** Returns the files that a section of the page lists, in the order of their names. */
function listedIn(section: string): string[] {
  const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, text = ""] = new RegExp(`^## ${section}\n([\\s\\S]*?)^## `, "m").exec(page) ?? [];
  return [...text.matchAll(/^\| `(\S+\.ts)` \|/gm)].map(([, file = ""]) => file).toSorted();
}

const GET = "The files of a GET";

const besidesGet = (files: readonly string[]) => files.filter((file) => !listedIn(GET).includes(file));

test("docs/architecture.md lists the files that a GET of one workspace runs, at most 50", async () => {
  const get = async () => expect((await orgAdmin.get(`/workspaces/${workspaceId}`)).status).toBe(200);
  for (let n = 0; n < 5; n++) await get(); // connections, prepared statements, compiled writers

  const files = await filesRunBy(Array.from({ length: ROUNDS }, () => get));
  expect(files).toEqual(listedIn(GET));
  expect(files.length).toBeLessThanOrEqual(50);
});

/** Creates an environment that is not linked to the workspace. */
async function createEnvironment(): Promise<string> {
  return (await orgAdmin.post("/environments", { organizationId, name: "walk" })).body.id;
}

const assign = async (environmentId: string) =>
  expect((await orgAdmin.post(`/workspaces/${workspaceId}/environments/${environmentId}`)).status).toBe(200);

test("docs/architecture.md lists the files that the assignment of an environment runs besides, at most 50", async () => {
  const environments = await Promise.all(Array.from({ length: ROUNDS + 5 }, createEnvironment));
  for (const id of environments.splice(0, 5)) await assign(id);

  const files = besidesGet(await filesRunBy(environments.map((id) => () => assign(id))));
  expect(files).toEqual(listedIn("The files of an assignment"));
  expect(files.length).toBeLessThanOrEqual(50);
});

/** Deletes the environment and writes the event of it into the outbox, as its service does in one transaction. */
async function deleteEnvironment(environmentId: string): Promise<void> {
  await database.query("update environment.environments set deleted_at = now() where id = $1", [environmentId]);
  const payload = toBinary(EnvironmentDeletedSchema, create(EnvironmentDeletedSchema, { environmentId, actor: "" }));
  await database.query(
    `insert into environment.outbox (subject, type, payload, headers)
     values ('cloud.v1.environment.environment.deleted', $1, $2, '{}')`,
    [EnvironmentDeletedSchema.typeName, payload],
  );
}

async function isUnlinked(environmentId: string): Promise<boolean> {
  const { rows } = await database.query("select from workspace.assignments where resource_id = $1", [environmentId]);
  return rows.length === 0;
}

test("docs/architecture.md lists the files that the event of a deletion runs besides, at most 50", async () => {
  const listed = listedIn("The files of a deletion event");
  const other = await createEnvironment();
  // A commit of the service wakes its relay, which finds the event that this test has written.
  const wake = async () => expect((await orgAdmin.put(`/environments/${other}`, { name: "woken" })).status).toBe(200);
  const environments = await Promise.all(Array.from({ length: ROUNDS + 5 }, createEnvironment));
  for (const id of environments) await assign(id);
  const applied = async (id: string) => {
    await deleteEnvironment(id);
    await wake();
    await waitFor(async () => (await isUnlinked(id)) || undefined, { deadlineMs: 30_000 });
  };
  for (const id of environments.splice(0, 5)) await applied(id);

  const byWake = await filesRunBy(Array.from({ length: ROUNDS }, () => wake));
  const all = besidesGet(await filesRunBy(environments.map((id) => () => applied(id))));
  const files = all.filter((file) => listed.includes(file) || !byWake.includes(file));
  expect(files).toEqual(listed);
  expect(files.length).toBeLessThanOrEqual(50);
});
