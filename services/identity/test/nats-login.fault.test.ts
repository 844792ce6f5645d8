import { writeFileSync } from "node:fs";
import path from "node:path";
import { credentialOf, SERVICE_TOKEN } from "@cloud/service/testing";
import {
  createTestDatabase,
  type Program,
  startProgram,
  startTestNats,
  takeStablePort,
  testFolder,
  waitFor,
} from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const DEADLINE = { deadlineMs: 30_000 };

let resources: AsyncDisposableStack;
let program: Program;
let passwordFile: string;
let password: string;

/** Starts the program as in production, with a password that NATS does not accept. */
beforeAll(async () => {
  resources = new AsyncDisposableStack();
  const database = await createTestDatabase("identity");
  resources.defer(() => database.drop());
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const login = new URL(nats.urlOf("identity"));
  password = login.password;
  passwordFile = path.join(testFolder(), "password");
  writeFileSync(passwordFile, "not yet", { mode: 0o600 });
  program = await startProgram({
    name: "identity",
    main: path.join(import.meta.dirname, "../src/main.ts"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      DATABASE_URL: database.url,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      NATS_URL: `nats://${login.host}`,
      NATS_USER: "identity",
      NATS_PASSWORD_FILE: passwordFile,
      WORKSPACE_URL: "http://127.0.0.1:1",
      SERVICE_TOKEN: credentialOf("identity"),
      SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
      LAME_DUCK_MS: "0",
    },
  });
  resources.defer(() => program.close());
}, 60_000);

afterAll(() => resources.disposeAsync());

const page = async (name: string) => await (await fetch(`${program.operatorUrl}/${name}`)).text();
const metric = (text: string, name: string) => Number(new RegExp(`^${name}.* (\\d+)$`, "m").exec(text)?.[1]);

test("a refused login is on /readyz, in a metric and once in the log, until the file holds the accepted one", async () => {
  const line =
    "nats-login: NATS cannot be used as the user identity: the server refuses it ('Authorization Violation')";
  await waitFor(async () => (await page("readyz")).includes(line) || undefined, DEADLINE);
  expect((await fetch(`${program.operatorUrl}/readyz`)).status).toBe(200); // requests need Postgres only
  await waitFor(
    async () => metric(await page("metrics"), "messaging_refused_logins_total") >= 3 || undefined,
    DEADLINE,
  );
  const errors = program.log().filter(({ level, msg }) => level === "error" && msg.startsWith("NATS cannot be used"));
  expect(errors).toHaveLength(1);
  expect(JSON.stringify(program.log())).not.toContain("not yet");

  writeFileSync(passwordFile, password);
  await waitFor(async () => !(await page("readyz")).includes("nats-login") || undefined, DEADLINE);
  await waitFor(async () => metric(await page("metrics"), "messaging_connected") === 1 || undefined, DEADLINE);
});

test("two logins are refused at the start, with the names of the variables", async () => {
  program.setEnvironment({ NATS_TOKEN: "a token" });
  await program.stop();
  await expect(program.start()).rejects.toThrow(
    "NATS_TOKEN: only one login can be set, but there are NATS_PASSWORD_FILE, NATS_TOKEN",
  );
});
