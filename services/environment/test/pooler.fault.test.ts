import path from "node:path";
import { refusal } from "@cloud/access/testing";
import { credentialOf, type IdentityPeer, SERVICE_TOKEN, startIdentityPeer, tokenOf } from "@cloud/service/testing";
import { createProgram, createTestDatabase, type Program, type TestDatabase, takeStablePort } from "@cloud/testkit";
import { startPgbouncer } from "@cloud/testkit/faults";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { clientsFor } from "./fixture.ts";

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
      DATABASE_URL: Object.assign(new URL(database.url), { host: `127.0.0.1:${pgbouncer.port}` }).href,
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
