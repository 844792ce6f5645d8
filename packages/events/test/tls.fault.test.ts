import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TlsPaths } from "@cloud/runtime/settings";
import { type RemovedProtection, startTestNats, testTelemetry, waitFor, without } from "@cloud/testkit";
import { type Authority, createAuthority, testFile } from "@cloud/testkit/faults";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { connectNats } from "../src/nats/connect-nats.ts";
import type { NatsAccess } from "../src/nats/nats-access.ts";

const DEADLINE = { deadlineMs: 30_000 };
const authority = createAuthority();

let resources: AsyncDisposableStack;

beforeEach(() => {
  resources = new AsyncDisposableStack();
});

afterEach(() => resources.disposeAsync());

/** Starts a nats-server with a certificate of `authority`, and returns its URL by name. */
async function startNats(settings = "", host = "localhost"): Promise<string> {
  const { certificate, key } = authority.issue("nats", host);
  const files = `cert_file: "${testFile(certificate)}", key_file: "${testFile(key)}"`;
  return await start(`tls { ${files}, ca_file: "${testFile(authority.certificate)}", ${settings} }`);
}

async function start(configuration: string): Promise<string> {
  const nats = await startTestNats({ users: { configuration, loginTo: (url) => url } });
  resources.defer(() => nats.stop());
  return nats.url.replace("127.0.0.1", "localhost");
}

function clientFiles(issuer: Authority): TlsPaths {
  const { certificate, key } = issuer.issue("workspace");
  return { caFile: testFile(authority.certificate), certFile: testFile(certificate), keyFile: testFile(key) };
}

function connect(url: string, tls?: TlsPaths) {
  const telemetry = testTelemetry();
  const transport = connectNats({ url, ...(tls && { tls }), clientName: "test", telemetry });
  resources.defer(() => transport.close());
  const reason = () => telemetry.conditions.list().find(({ name }) => name === "nats-login")?.message;
  return {
    connected: () => waitFor(() => transport.isConnected() || undefined, DEADLINE),
    refused: () => waitFor(reason, DEADLINE),
  };
}

test("a server whose certificate the CA file has signed is connected to, and JetStream responds", async () => {
  const url = await startNats();
  const telemetry = testTelemetry();
  const tls = { caFile: testFile(authority.certificate) };
  const transport = connectNats({ url, tls, clientName: "test", telemetry });
  resources.defer(() => transport.close());
  const state = await waitFor(() => transport.readStream(), DEADLINE);
  expect(state.lastSequence).toBe(0);
});

test.each([
  ["of another authority", () => ({ caFile: testFile(createAuthority("other").certificate) })],
  ["of the system", () => undefined],
])("a server whose certificate the CA file %s has not signed is refused", async (_what, tls) => {
  expect(await connect(await startNats(), tls()).refused()).toContain("TLS failed");
});

test("a CA file that is replaced needs no restart of the client", async () => {
  const caFile = testFile(createAuthority("other").certificate);
  const client = connect(await startNats(), { caFile });
  await client.refused();
  writeFileSync(caFile, authority.certificate);
  await client.connected();
});

test("a server with another name than the URL is refused", async () => {
  const client = connect(await startNats("", "other.example.test"), { caFile: testFile(authority.certificate) });
  expect(await client.refused()).toContain("TLS failed: Host: localhost. is not in the cert's altnames");
});

test.each([
  ["tls:// in the URL", undefined],
  ["a CA file", {}],
])("%s demands TLS: a server without it receives no login", async (_what, tls) => {
  const url = await start("");
  const wanted = tls === undefined ? url.replace("nats:", "tls:") : url;
  expect(await connect(wanted, tls).refused()).toContain("the server does not offer TLS");
});

test("a server that demands a client certificate accepts one of its authority", async () => {
  await connect(await startNats("verify: true"), clientFiles(authority)).connected();
});

test.each([
  ["without a certificate", () => ({ caFile: testFile(authority.certificate) })],
  ["with a certificate of another authority", () => clientFiles(createAuthority("other"))],
])("a server that demands a client certificate refuses a client %s", async (_what, tls) => {
  expect(await connect(await startNats("verify: true"), tls()).refused()).toContain("TLS failed");
});

/** Connects from a program of its own: returns "connected", or why the login was refused. */
async function connectWithout(removed: readonly RemovedProtection[], access: NatsAccess): Promise<string> {
  const { preload, env } = without(removed);
  const main = fileURLToPath(new URL("connect-process.ts", import.meta.url));
  const args = [...preload.flatMap((module) => ["--import", module]), main];
  const options = { env: { ...process.env, ...env, NATS_ACCESS: JSON.stringify(access) }, timeout: 30_000 };
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

describe.each<[string, () => Promise<NatsAccess>, RemovedProtection]>([
  [
    "a server whose certificate another authority has signed",
    async () => ({ url: await startNats(), tls: { caFile: testFile(createAuthority("other").certificate) } }),
    { marker: "nats-tls", instead: "...(tls && { tls: { ...tls, rejectUnauthorized: false } })," },
  ],
  [
    "a server with another name than the URL",
    async () => ({ url: await startNats("", "other.example.test"), tls: clientFiles(authority) }),
    { marker: "nats-tls", instead: "...(tls && { tls: { ...tls, checkServerIdentity: () => undefined } })," },
  ],
  ["a server without TLS", async () => ({ url: await start(""), tls: {} }), { marker: "nats-tls" }],
])("%s, by a program of its own", (_what, prepare, protection) => {
  test("is refused", async () => {
    expect(await connectWithout([], await prepare())).toMatch(/TLS failed|does not offer TLS/);
  });
  test("control: without the protection it is connected to", async () => {
    expect(await connectWithout([protection], await prepare())).toBe("connected");
  });
});
