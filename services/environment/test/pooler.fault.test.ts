import path from "node:path";
import { refusal } from "@cloud/access/testing";
import {
  credentialOf,
  type IdentityPeer,
  present,
  SERVICE_TOKEN,
  startIdentityPeer,
  tokenOf,
} from "@cloud/service/testing";
import {
  createProgram,
  createTestDatabase,
  type Program,
  type TestDatabase,
  takeStablePort,
  waitFor,
} from "@cloud/testkit";
import { startPgbouncer } from "@cloud/testkit/faults";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Clients, clientsFor } from "./fixture.ts";

let resources: AsyncDisposableStack;
let database: TestDatabase;
let identity: IdentityPeer;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const created = await createTestDatabase("environment");
  resources.defer(() => created.drop());
  database = created;
  identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
});

afterEach(() => resources.disposeAsync());

/** Creates the program behind a PgBouncer that is set as Debian sets it, but for its mode. */
async function createBehind(pool_mode: string, env: Readonly<Record<string, string>>): Promise<Program> {
  const pgbouncer = await startPgbouncer([database.url], { pool_mode });
  resources.defer(() => pgbouncer.stop());
  const program = createProgram({
    name: "environment",
    main: path.join(import.meta.dirname, "../src/main.ts"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      DATABASE_URL: pgbouncer.through(database.url),
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

describe.each(["session", "transaction"])("behind PgBouncer in %s mode", (mode) => {
  test("the program serves, with a direct URL beside it", async () => {
    const program = await createBehind(mode, { DATABASE_DIRECT_URL: database.url });
    await program.start();
    const admin = clientsFor(program.url, tokenOf("admin"));
    expect(await refusal(admin.environments.createEnvironment({ organizationId: identity.home }))).toBe("not refused");
    expect((await fetch(`${program.operatorUrl}/readyz`)).status).toBe(200);
  });

  test("the program exits without one, and says what it needs", async () => {
    const program = await createBehind(mode, {});
    await expect(program.start()).rejects.toThrow("set DATABASE_DIRECT_URL, and MIGRATION_DATABASE_URL if it is used");
    expect(program.isRunning()).toBe(false);
  });
});

/** The steps of a release, and one that a release must not take: the type of a column changes, there and back. */
const CHANGES = [
  "alter table connections add column region text not null default 'north'",
  "alter table connections alter column status type varchar(300)",
  "create index concurrently connections_by_region on connections (region)",
  "alter table connections alter column status type text",
  "alter table connections drop column region",
];
const CLIENTS = 4;

/** Creates a connection, gets it and finds it in a list; returns the replies. */
async function createAndRead({ connections }: Clients, organizationId: string, name: string) {
  const fields = { name, description: `describes ${name}`, kind: `kind ${name}`, type: "type", status: `is ${name}` };
  const created = present((await connections.createConnection({ organizationId, ...fields })).connection);
  const { connection: read } = await connections.getConnection({ id: created.id });
  const { connections: listed } = await connections.listConnections({ orgId: organizationId, search: name });
  return { fields: { organizationId, ...fields }, created, replies: [read, ...listed] };
}

interface Played {
  readonly done: number;
  /** The errors that clients got. */
  readonly failures: readonly string[];
}

/** Changes the schema twice while clients create and read connections; throws when one reads what it did not write. */
async function changeWhileServing(prepared: string): Promise<Played> {
  const env = { DATABASE_DIRECT_URL: database.url, DATABASE_PREPARED_STATEMENTS: prepared };
  const program = await createBehind("transaction", env);
  await program.start();
  const clients = clientsFor(program.url, tokenOf("admin"));
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  resources.defer(() => owner.end());
  const failures: string[] = [];
  let [done, changing] = [0, true];
  const run = async (client: number) => {
    for (let round = 0; changing; round++) {
      const name = `client ${client} round ${round}.`;
      const tried = await createAndRead(clients, identity.home, name).catch((error: unknown) => String(error));
      if (typeof tried === "string") {
        failures.push(tried);
        continue;
      }
      expect(tried.created).toMatchObject(tried.fields);
      expect(tried.replies).toEqual([tried.created, tried.created]);
      done++;
    }
  };
  const change = async () => {
    for (const text of [...CHANGES, ...CHANGES]) {
      const enough = done + failures.length + 3 * CLIENTS;
      await waitFor(() => done + failures.length >= enough || undefined, { deadlineMs: 60_000 });
      await owner.query(text);
    }
  };
  const changes = change().finally(() => (changing = false));
  await Promise.all([changes, ...Array.from({ length: CLIENTS }, (_, client) => run(client))]);
  return { done, failures };
}

test("a schema that changes while the program serves costs no reply and no wrong row", async () => {
  const { done, failures } = await changeWhileServing("off");
  expect(failures).toEqual([]);
  expect(done).toBeGreaterThan(100);
});

test("control: with named statements, which this PgBouncer does not keep, requests fail", async () => {
  expect((await changeWhileServing("on")).failures.join()).toContain("internal error");
});
