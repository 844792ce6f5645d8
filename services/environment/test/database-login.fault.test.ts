import { writeFileSync } from "node:fs";
import path from "node:path";
import { refusal } from "@cloud/access/testing";
import { credentialOf, type IdentityPeer, SERVICE_TOKEN, startIdentityPeer, tokenOf } from "@cloud/service/testing";
import {
  createTestDatabase,
  type Program,
  type RemovedProtection,
  startProgram,
  type TestDatabase,
  takeStablePort,
  testFolder,
  waitFor,
  without,
} from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import { clientsFor } from "./fixture.ts";

const DEADLINE = { deadlineMs: 30_000 };
const UNAVAILABLE = "503 UNAVAILABLE: the service is temporarily unavailable";

let resources: AsyncDisposableStack;
let database: TestDatabase;
let identity: IdentityPeer;
let role: string;
let passwordFile: string;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const created = await createTestDatabase("environment");
  resources.defer(() => created.drop());
  database = created;
  identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const login = new URL(database.url);
  role = login.username;
  passwordFile = path.join(testFolder(), `password-${role}`);
  writeFileSync(passwordFile, `${login.password}\n`, { mode: 0o600 });
});

afterEach(() => resources.disposeAsync());

/** Starts the program as in production, with its password in a file. */
async function start(removed: readonly RemovedProtection[] = []): Promise<Program> {
  const url = new URL(database.url);
  url.password = "";
  url.searchParams.set("passwordfile", passwordFile);
  const { preload, env } = without(removed);
  const program = await startProgram({
    name: "environment",
    main: path.join(import.meta.dirname, "../src/main.ts"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    preload,
    env: {
      DATABASE_URL: url.href,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      NATS_URL: "nats://127.0.0.1:1",
      IDENTITY_URL: identity.url,
      SERVICE_TOKEN: credentialOf("environment"),
      SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
      LAME_DUCK_MS: "0",
      ...env,
    },
  });
  resources.defer(() => program.close());
  return program;
}

async function asSuperuser(...texts: readonly string[]): Promise<void> {
  const client = new pg.Client({
    connectionString: database.superuserUrl,
    options: "-c default_transaction_read_only=off",
  });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.end();
}

const endSessions = () => `select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = '${role}'`;
const rotate = () => asSuperuser(`alter role ${role} password 'another'`, endSessions());

/** Returns what a request gets. One whose connection was ended while it was idle may be the last to notice. */
const outcomeOf = (program: Program) => {
  const admin = clientsFor(program.url, tokenOf("admin"));
  return refusal(admin.environments.createEnvironment({ organizationId: identity.home }));
};

async function readyz(program: Program): Promise<[number, string]> {
  const response = await fetch(`${program.operatorUrl}/readyz`);
  return [response.status, await response.text()];
}

const becomes = (program: Program, status: number, line: string) =>
  waitFor(async () => {
    const [found, text] = await readyz(program);
    return (found === status && text.includes(line)) || undefined;
  }, DEADLINE);

test("a rotated password is 503 and named, until the file has the new one", async () => {
  const program = await start();
  expect(await outcomeOf(program)).toBe("not refused");
  await rotate();
  expect(await outcomeOf(program)).toBe(UNAVAILABLE);
  await becomes(program, 503, `postgres-login: Postgres cannot be used as the user ${role}: password authentication`);
  writeFileSync(passwordFile, "another");
  await becomes(program, 200, "");
  expect(await outcomeOf(program)).toBe("not refused");
  expect((await readyz(program))[1]).not.toContain("postgres-login");
  expect(JSON.stringify(program.log())).not.toContain("another");
});

test("control: where a refused login is no fault of the server, it is an internal error", async () => {
  const program = await start([
    {
      marker: "refused-login",
      instead: "return /^28/.test(code) ? error : new DatabaseUnavailable(error, false);",
    },
    { marker: "connecting", instead: "return fault;" },
  ]);
  await rotate();
  await waitFor(async () => (await outcomeOf(program)) !== UNAVAILABLE || undefined, DEADLINE);
  expect(await outcomeOf(program)).toMatch(/^500 /);
});

test("a server that becomes read-only is left, named, and used again when it accepts writes", async () => {
  const program = await start();
  const name = new URL(database.url).pathname.slice(1);
  await asSuperuser(`alter database ${name} set default_transaction_read_only to on`, endSessions());
  const admin = clientsFor(program.url, tokenOf("admin"));
  const list = () => refusal(admin.environments.listEnvironments({ orgId: identity.home }));
  await waitFor(async () => (await list()) === UNAVAILABLE || undefined, DEADLINE);
  expect(await outcomeOf(program)).toBe(UNAVAILABLE);
  await becomes(program, 503, `postgres-read-only: ${new URL(database.url).host} accepts no writes, and is not used`);
  await asSuperuser(`alter database ${name} reset default_transaction_read_only`);
  await becomes(program, 200, "");
  expect(await list()).toBe("not refused");
});
