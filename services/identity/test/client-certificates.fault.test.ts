import path from "node:path";
import { createDatabase, createNatsUsers } from "@cloud/local-servers";
import { credentialOf, SERVICE_TOKEN } from "@cloud/service/testing";
import { createProgram, type Program, startTestNats, takeStablePort, waitFor } from "@cloud/testkit";
import { createAuthority, startTlsPostgres, testFile } from "@cloud/testkit/faults";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";

// Servers that demand a certificate of their clients besides the login; the control demands none.

const DEADLINE = { deadlineMs: 30_000 };
const authority = createAuthority();

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

const caFile = testFile(authority.certificate);

/** Starts a nats-server with TLS; returns its URL with the login of identity. */
async function startNats(demand: "verify: true" | ""): Promise<string> {
  const { certificate, key } = authority.issue("nats");
  const users = createNatsUsers();
  const files = `cert_file: "${testFile(certificate)}", key_file: "${testFile(key)}", ca_file: "${caFile}"`;
  const configuration = `${users.configuration}\ntls { ${files}, ${demand} }\n`;
  const nats = await startTestNats({ users: { ...users, configuration } });
  resources.defer(() => nats.stop());
  return nats.urlOf("identity").replace("127.0.0.1", "localhost");
}

/** Starts a Postgres with TLS; returns the URLs of identity's roles, each with its own certificate or with none. */
async function startPostgres(demand: "cert" | "scram-sha-256", certified: boolean) {
  const postgres = await startTlsPostgres(authority, `hostssl cloud all all ${demand}\n`);
  resources.defer(() => postgres.stop());
  const [urls] = await createDatabase(postgres.superuserUrl, "cloud", [{ role: "identity", schema: "identity" }]);
  const verified = (from: string) => {
    const url = new URL(from);
    url.hostname = "localhost";
    const { certificate, key } = authority.issue(url.username);
    const own = certified ? { sslcert: testFile(certificate), sslkey: testFile(key) } : {};
    for (const [name, value] of Object.entries({ sslmode: "verify-full", sslrootcert: caFile, ...own })) {
      url.searchParams.set(name, value);
    }
    return url.href;
  };
  return { DATABASE_URL: verified(urls.url), MIGRATION_DATABASE_URL: verified(urls.ownerUrl) };
}

async function programWith(env: Readonly<Record<string, string>>): Promise<Program> {
  const program = createProgram({
    name: "identity",
    main: path.join(import.meta.dirname, "../src/main.ts"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      WORKSPACE_URL: "http://127.0.0.1:1",
      SERVICE_TOKEN: credentialOf("identity"),
      SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
      LAME_DUCK_MS: "0",
      ...env,
    },
  });
  resources.defer(() => program.close());
  return program;
}

const natsCertificate = () => {
  const { certificate, key } = authority.issue("identity");
  return { NATS_CERT_FILE: testFile(certificate), NATS_KEY_FILE: testFile(key) };
};

const readyz = async ({ operatorUrl }: Program) => await (await fetch(`${operatorUrl}/readyz`)).text();

/** Resolves when the program is ready, and reports nothing else. */
const isWhole = async (program: Program) => {
  await waitFor(() => program.log().find(({ msg }) => msg === "connected to NATS"), DEADLINE);
  expect(await waitFor(async () => ((await readyz(program)) === "ready\n" ? true : undefined), DEADLINE)).toBe(true);
};

test("a program with the certificates that NATS and Postgres demand is ready", async () => {
  const database = await startPostgres("cert", true);
  const NATS_URL = await startNats("verify: true");
  const program = await programWith({ ...database, NATS_URL, NATS_CA_FILE: caFile, ...natsCertificate() });
  await program.start();
  await isWhole(program);
}, 60_000);

describe("without the certificate that NATS demands", () => {
  const start = async (demand: "verify: true" | "") => {
    const database = await startPostgres("scram-sha-256", false);
    const program = await programWith({ ...database, NATS_URL: await startNats(demand), NATS_CA_FILE: caFile });
    await program.start();
    return program;
  };
  test("no event passes: /readyz and the log name the reason", async () => {
    const program = await start("verify: true");
    const line = "nats-login: NATS cannot be used as the user identity: TLS failed: ";
    await waitFor(async () => (await readyz(program)).includes(line) || undefined, DEADLINE);
    const errors = program.log().filter(({ level }) => level === "error");
    expect(errors).toEqual([
      expect.objectContaining({ msg: expect.stringMatching(/^NATS cannot be used .* TLS failed: /) }),
    ]);
  }, 60_000);
  test("control: a server that demands none is connected to", async () => {
    await isWhole(await start(""));
  }, 60_000);
});

describe("without the certificate that Postgres demands", () => {
  const program = async (demand: "cert" | "scram-sha-256") =>
    await programWith({ ...(await startPostgres(demand, false)), NATS_URL: await startNats(""), NATS_CA_FILE: caFile });
  test("the program does not start, and logs the reason", async () => {
    const refused = await program("cert");
    await expect(refused.start()).rejects.toThrow("connection requires a valid client certificate");
    expect(refused.log().filter(({ level }) => level === "fatal")).toHaveLength(1);
  }, 60_000);
  test("control: a server that demands none is connected to", async () => {
    const accepted = await program("scram-sha-256");
    await accepted.start();
    await isWhole(accepted);
  }, 60_000);
});
