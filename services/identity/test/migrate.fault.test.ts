import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { credentialOf, SERVICE_TOKEN } from "@cloud/service/testing";
import { COMPILE_CACHE, createTestDatabase, type TestDatabase, takeStablePort, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";

const MAIN = path.join(import.meta.dirname, "../src/main.ts");

let database: TestDatabase;
let operatorPort: number;

beforeEach(async () => {
  database = await createTestDatabase("identity");
  operatorPort = await takeStablePort();
}, 60_000);
afterEach(() => database.drop());

/** Starts the program as a release does that migrates in a step of its own. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...env, ...COMPILE_CACHE },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  return { child, ended: async () => ({ code: (await ended)[0], output: (await output).join("") }) };
}

const run = (env: Record<string, string>) => start(env).ended();

/** The environment of the Job, or the init container: no credential of a service, no password of the program. */
const only = () => ({
  MIGRATE: "only",
  MIGRATION_DATABASE_URL: database.ownerUrl,
  DATABASE_ROLE: new URL(database.url).username,
});

const off = () => ({
  MIGRATE: "off",
  HOST: "127.0.0.1",
  PORT: "0",
  OPERATOR_HOST: "127.0.0.1",
  OPERATOR_PORT: String(operatorPort),
  DATABASE_URL: database.url,
  NATS_URL: "nats://127.0.0.1:1",
  WORKSPACE_URL: "http://127.0.0.1:1",
  SERVICE_TOKEN: credentialOf("identity"),
  SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
  LAME_DUCK_MS: "0",
});

test("a release migrates with MIGRATE=only, as the owner, and serves with MIGRATE=off", async () => {
  const early = await run(off());
  expect(early.code).toBe(1);
  expect(early.output).toContain(
    "the schema identity is older than this release: it lacks messaging/0001_messaging.sql. " +
      "Migrate it first, as its owner: MIGRATE=only",
  );

  const migrated = await run(only());
  expect([migrated.code, migrated.output]).toEqual([0, expect.stringContaining('"msg":"migrated"')]);
  const again = await run(only());
  expect([again.code, again.output]).toEqual([0, expect.not.stringContaining("migration applied")]);

  const { child, ended } = start(off());
  const ready = async () => (await fetch(`http://127.0.0.1:${operatorPort}/readyz`)).ok || undefined;
  await waitFor(ready, { deadlineMs: 30_000 });
  child.kill("SIGTERM");
  expect((await ended()).code).toBe(0);
}, 60_000);

test("an older schema is refused", async () => {
  await run(only());
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  await client.query("delete from schema_migrations where source = 'identity'");
  await client.end();
  const { code, output } = await run(off());
  expect([code, output]).toEqual([1, expect.stringContaining("it lacks identity/0001_identity.sql")]);
}, 60_000);

test("MIGRATE=only names what it lacks, and needs nothing else", async () => {
  const { MIGRATION_DATABASE_URL, DATABASE_ROLE, ...none } = only();
  const problems = async (env: Record<string, string>) => (await run({ ...none, ...env })).output;
  expect(await problems({ DATABASE_ROLE })).toBe(
    "identity: the configuration is not usable:\n" +
      "  MIGRATION_DATABASE_URL: is required, unless the role of DATABASE_URL owns the schema\n",
  );
  expect(await problems({ MIGRATION_DATABASE_URL })).toBe(
    "identity: the configuration is not usable:\n  DATABASE_ROLE: is required, unless DATABASE_URL names it\n",
  );
  expect(await problems({ MIGRATION_DATABASE_URL: "secret", LOG_LEVEL: "loud" })).toBe(
    "identity: the configuration is not usable:\n" +
      "  MIGRATION_DATABASE_URL: must be a URL that starts with postgres:// or postgresql://\n" +
      "  LOG_LEVEL: must be a level of pino\n",
  );
}, 60_000);

test("one role for both is reported: it may drop tables", async () => {
  const { code, output } = await run({ MIGRATE: "only", DATABASE_URL: database.ownerUrl });
  expect([code, output]).toEqual([0, expect.stringContaining("the program's role owns the schema")]);
}, 60_000);
