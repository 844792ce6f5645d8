import { writeFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { testTelemetry, waitFor } from "@cloud/testkit";
import { createAuthority } from "@cloud/testkit/faults";
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createServiceTransport, openTlsFiles, type RpcServer } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";
import { replaceTlsFiles, writeTlsFolder } from "./tls-folder.ts";

const DEADLINE = { deadlineMs: 30_000 };
const before = createAuthority("before");
const after = createAuthority("after");

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

function logOf() {
  const { log } = testTelemetry();
  const lines: string[] = [];
  const keep = (fields: { err?: Error }, text: string) => void lines.push(fields.err?.message ?? text);
  return { log: Object.assign(log, { info: keep, error: keep }), lines };
}

async function startServer(paths: Parameters<typeof openTlsFiles>[0], log = testTelemetry().log): Promise<RpcServer> {
  const server = await startAccessServer(() => ({ allowed: true }), { tls: openTlsFiles(paths, log) });
  resources.defer(() => server.stop());
  return server;
}

/** Connects, and returns the name of the authority that has signed the server's certificate. */
async function issuerOf({ port }: RpcServer): Promise<string> {
  const socket: TLSSocket = connect({ port, host: "localhost", rejectUnauthorized: false });
  try {
    await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    return String(socket.getPeerCertificate().issuer.CN);
  } finally {
    socket.destroy();
  }
}

const issuerIs = (server: RpcServer, name: string) =>
  waitFor(async () => (await issuerOf(server)) === name || undefined, DEADLINE);

/** Calls on a new connection. */
async function call({ port }: RpcServer, tls: ReturnType<typeof openTlsFiles>): Promise<boolean> {
  const transport = createServiceTransport({
    url: `https://localhost:${port}`,
    serviceToken: TOKEN,
    tls,
    deadlineMs: 30_000,
  });
  const calling = createClient(AccessService, transport).checkAccess({});
  return await calling
    .then(
      () => true,
      () => false,
    )
    .finally(() => transport.close());
}

test("new connections get a replaced certificate, and an open one stays", async () => {
  const paths = writeTlsFolder({ issuer: before });
  const { log, lines } = logOf();
  const server = await startServer({ certFile: paths.certFile, keyFile: paths.keyFile }, log);
  const tls = openTlsFiles({ caFile: paths.caFile }, testTelemetry().log);
  const transport = createServiceTransport({
    url: `https://localhost:${server.port}`,
    serviceToken: TOKEN,
    tls,
    deadlineMs: 30_000,
  });
  resources.defer(async () => transport.close());
  const client = createClient(AccessService, transport);
  await client.checkAccess({});

  replaceTlsFiles(paths, { issuer: after });
  await issuerIs(server, "after");
  expect(lines).toEqual(["the files of TLS were replaced; new connections use them"]);
  expect(await client.checkAccess({})).toMatchObject({ allowed: true });
});

test("an unusable new file leaves the old one in use and is logged once; a good one after it is used", async () => {
  const paths = writeTlsFolder({ issuer: before });
  const { log, lines } = logOf();
  const server = await startServer(paths, log);
  const logged = (line: string) =>
    waitFor(async () => {
      expect(await issuerOf(server)).toBe("before");
      return lines.includes(line) || undefined;
    }, DEADLINE);
  const { caFile, certFile, keyFile } = paths;
  const prefix = `the files of TLS (${caFile}, ${certFile}, ${keyFile}) cannot be used: `;

  const { certificate } = after.issue("test");
  writeFileSync(certFile, certificate); // the key is still the old one
  await logged(prefix + "error:05800074:x509 certificate routines::key values mismatch");
  writeFileSync(certFile, "");
  await logged(prefix + "a file contains no certificate");
  const known = lines.length;
  replaceTlsFiles(paths, { issuer: after });
  await issuerIs(server, "after");
  expect(lines.slice(known)).toEqual(["the files of TLS were replaced; new connections use them"]);
  expect(new Set(lines).size).toBe(lines.length);
});

test("clients of a replaced authority are accepted, clients of the old one refused", async () => {
  const paths = writeTlsFolder({ issuer: before });
  const server = await startServer(paths);
  const clientOf = (issuer: typeof before) =>
    openTlsFiles(writeTlsFolder({ issuer, trusts: before }), testTelemetry().log);
  const [old, young] = [clientOf(before), clientOf(after)];
  expect([await call(server, old), await call(server, young)]).toEqual([true, false]);
  writeFileSync(paths.caFile, after.certificate);
  await waitFor(async () => (await call(server, young)) || undefined, DEADLINE);
  expect(await call(server, old)).toBe(false);
});

test("a client uses its replaced files for a new connection", async () => {
  const server = await startServer(writeTlsFolder({ issuer: before }));
  const paths = writeTlsFolder({ issuer: after, trusts: before });
  const tls = openTlsFiles(paths, testTelemetry().log);
  expect(await call(server, tls)).toBe(false);
  replaceTlsFiles(paths, { issuer: before });
  await waitFor(async () => (await call(server, tls)) || undefined, DEADLINE);
});

test.each([
  ["a certificate", "certFile", "", "a file contains no certificate"],
  ["a key", "keyFile", "no key", "error:1E08010C:DECODER routines::unsupported"],
  ["authorities", "caFile", "no certificate", "a file contains no certificate"],
] as const)("a program does not start with unusable %s", (_what, file, content, reason) => {
  const paths = writeTlsFolder({ issuer: before });
  writeFileSync(paths[file], content);
  expect(() => openTlsFiles(paths, testTelemetry().log)).toThrow(
    `the files of TLS (${paths.caFile}, ${paths.certFile}, ${paths.keyFile}) cannot be used: ${reason}`,
  );
});
