import { rmSync, writeFileSync } from "node:fs";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { startTestNats, type TestNats, waitFor } from "@cloud/testkit";
import { testFile } from "@cloud/testkit/faults";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { nkeys } from "nats";
import { connectNats } from "../src/nats/connect-nats.ts";
import type { NatsAccess, NatsLogin } from "../src/nats/nats-access.ts";
import { createAccounts } from "./create-accounts.ts";

const DEADLINE = { deadlineMs: 30_000 };

let resources: AsyncDisposableStack;

beforeEach(() => {
  resources = new AsyncDisposableStack();
});

afterEach(() => resources.disposeAsync());

/** Starts a nats-server with a configuration of the test's own. */
async function startNats(configuration: string, port?: number): Promise<TestNats> {
  const users = { configuration, loginTo: (url: string) => url };
  const nats = await startTestNats(port === undefined ? { users } : { users, port });
  resources.defer(() => nats.stop());
  return nats;
}

function connect(access: NatsAccess) {
  const lines: { level: string; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const telemetry = createTelemetry({ service: "test", level: "warn", destination, processMetrics: false });
  const transport = connectNats({ ...access, clientName: "test", telemetry });
  resources.defer(() => transport.close());
  const conditions = () => telemetry.conditions.list();
  return {
    conditions,
    errors: () => lines.filter(({ level }) => level === "error").map(({ msg }) => msg),
    refusals: async () => {
      const metric = await telemetry.metrics.getSingleMetric("messaging_refused_logins_total")?.get();
      return metric?.values[0]?.value ?? 0;
    },
    connected: () => waitFor(() => transport.isConnected() || undefined, DEADLINE),
    refused: () => waitFor(() => conditions().find(({ name }) => name === "nats-login")?.message, DEADLINE),
  };
}

const withPassword = (password: string) => `authorization { user: test, password: "${password}" }`;

const passwordLogin = (file: string): NatsLogin => ({ user: "test", passwordFile: file });
const nkey = nkeys.createUser();
const seedOf = (user: ReturnType<typeof nkeys.createUser>) => Buffer.from(user.getSeed()).toString();
const accounts = createAccounts();

const KINDS = [
  { kind: "a password", server: withPassword("right"), login: passwordLogin, right: "right\n", wrong: "wrong" },
  {
    kind: "a token",
    server: 'authorization { token: "right" }',
    login: (file: string): NatsLogin => ({ tokenFile: file }),
    right: "right",
    wrong: "wrong",
  },
  {
    kind: "the seed of an nkey",
    server: `authorization { users: [{ nkey: ${nkey.getPublicKey()} }] }`,
    login: (file: string): NatsLogin => ({ nkeyFile: file }),
    right: `${seedOf(nkey)}\n`,
    wrong: seedOf(nkeys.createUser()),
  },
  {
    kind: "a creds file",
    server: accounts.configuration,
    login: (file: string): NatsLogin => ({ credsFile: file }),
    right: accounts.createCreds(),
    wrong: createAccounts().createCreds(),
  },
  {
    kind: "a creds file that is none before",
    server: accounts.configuration,
    login: (file: string): NatsLogin => ({ credsFile: file }),
    right: accounts.createCreds(),
    wrong: "not a creds file",
  },
] as const;

test.each(KINDS)("$kind: a wrong one is refused until the file holds the right one", async (row) => {
  const { url } = await startNats(row.server);
  const file = testFile(row.wrong);
  const client = connect({ url, login: row.login(file) });
  expect(await client.refused()).toContain("NATS cannot be used");
  writeFileSync(file, row.right);
  await client.connected();
  expect(client.conditions()).toEqual([]);
});

test("a login in the URL is used", async () => {
  const { url } = await startNats(withPassword("p/@"));
  const { host } = new URL(url);
  await connect({ url: `nats://test:p%2F%40@${host}` }).connected();
  expect(await connect({ url: `nats://test:wrong@${host}` }).refused()).toContain("as the user test");
  expect(await connect({ url }).refused()).toContain("without a login");
});

test("a password that is replaced on both sides needs no restart of the client; refusals are logged once", async () => {
  const first = await startTestNats({ users: { configuration: withPassword("old"), loginTo: (url) => url } });
  const file = testFile("old");
  const client = connect({ url: first.url, login: passwordLogin(file) });
  await client.connected();
  await first.stop();
  await startNats(withPassword("new"), Number(new URL(first.url).port));
  expect(await client.refused()).toBe(
    "NATS cannot be used as the user test: the server refuses it ('Authorization Violation')",
  );
  await waitFor(async () => (await client.refusals()) >= 3 || undefined, DEADLINE);
  expect(client.errors().filter((line) => line.includes("cannot be used"))).toHaveLength(1);
  writeFileSync(file, "new");
  await client.connected();
  expect(client.conditions()).toEqual([]);
});

test("a file that cannot be read is reported until it is there", async () => {
  const { url } = await startNats(withPassword("right"));
  const file = testFile("right");
  rmSync(file);
  const client = connect({ url, login: passwordLogin(file) });
  expect(await client.refused()).toContain(`the file ${file} cannot be read: ENOENT`);
  writeFileSync(file, "right");
  await client.connected();
});

test("a server without logins is used, and reported", async () => {
  const { url } = await startNats("");
  const client = connect({ url });
  await client.connected();
  expect(client.conditions().map(({ name }) => name)).toEqual(["nats-open"]);
});
