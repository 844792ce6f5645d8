import http2 from "node:http2";
import net from "node:net";
import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { describeError } from "@cloud/runtime";
import type { TlsPaths } from "@cloud/runtime/settings";
import { testTelemetry, waitFor } from "@cloud/testkit";
import { createAuthority } from "@cloud/testkit/faults";
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createServiceTransport, openTlsFiles, type RpcServer } from "../src/index.ts";
import { startAccessServer, TOKEN } from "./start-access-server.ts";
import { writeTlsFolder } from "./tls-folder.ts";

const authority = createAuthority();
const other = createAuthority("other");

let resources: AsyncDisposableStack;
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());

const { log } = testTelemetry();
const owner = writeTlsFolder({ issuer: authority });
const { caFile, certFile, keyFile } = owner;
const TRUSTING = { caFile };
const WITH_CERTIFICATE = owner;

async function startServer(paths: TlsPaths, telemetry = testTelemetry()): Promise<RpcServer> {
  const server = await startAccessServer(() => ({ allowed: true }), { tls: openTlsFiles(paths, log), telemetry });
  resources.defer(() => server.stop());
  return server;
}

const startTls = () => startServer({ certFile, keyFile });
const startMutual = () => startServer({ certFile, keyFile, caFile });

/** Calls as the gateway and the services do. */
async function call({ port }: Pick<RpcServer, "port">, paths?: TlsPaths, host = "localhost"): Promise<boolean> {
  const tls = paths && openTlsFiles(paths, log);
  const transport = createServiceTransport({
    url: `https://${host}:${port}`,
    serviceToken: TOKEN,
    tls,
    deadlineMs: 30_000,
  });
  resources.defer(async () => transport.close());
  return (await createClient(AccessService, transport).checkAccess({})).allowed;
}

const failureOf = (calling: Promise<unknown>) =>
  calling.then(
    () => "the call succeeded",
    (error: unknown) => [reasonOf(error), describeError(error)],
  );

const authorized: Interceptor = (next) => (request) => {
  request.header.set("authorization", "Bearer " + TOKEN);
  return next(request);
};

interface Client {
  readonly baseUrl: string;
  readonly nodeOptions: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

const transports: readonly [string, (client: Client) => Transport][] = [
  ["gRPC", (client) => createGrpcTransport({ ...client, interceptors: [authorized] })],
  ["Connect over HTTP/1.1", (it) => createConnectTransport({ ...it, httpVersion: "1.1", interceptors: [authorized] })],
  ["Connect over HTTP/2", (it) => createConnectTransport({ ...it, httpVersion: "2", interceptors: [authorized] })],
  ["gRPC-Web over HTTP/1.1", (it) => createGrpcWebTransport({ ...it, httpVersion: "1.1", interceptors: [authorized] })],
];

describe.each(transports)("%s", (_name, open) => {
  test("is served over TLS", async () => {
    const { port } = await startTls();
    const transport = open({ baseUrl: `https://localhost:${port}`, nodeOptions: { ca: authority.certificate } });
    expect(await createClient(AccessService, transport).checkAccess({})).toMatchObject({ allowed: true });
  });

  test("is served over mutual TLS", async () => {
    const { port } = await startMutual();
    const { certificate: cert, key } = authority.issue("client");
    const nodeOptions = { ca: authority.certificate, cert, key };
    const transport = open({ baseUrl: `https://localhost:${port}`, nodeOptions });
    expect(await createClient(AccessService, transport).checkAccess({})).toMatchObject({ allowed: true });
  });
});

describe("a program that calls its peer over https", () => {
  test("is served over TLS, and over mutual TLS", async () => {
    expect(await call(await startTls(), TRUSTING)).toBe(true);
    expect(await call(await startMutual(), WITH_CERTIFICATE)).toBe(true);
  });

  test.each([
    [
      "whose certificate its file of authorities has not signed",
      () => ({ caFile: writeTlsFolder({ issuer: other }).caFile }),
    ],
    ["whose certificate the authorities of the system have not signed", () => undefined],
  ])("refuses a peer %s", async (_what, paths) => {
    expect(await failureOf(call(await startTls(), paths()))).toEqual([
      Reason.UNAVAILABLE,
      expect.stringContaining("unable to verify the first certificate"),
    ]);
  });

  test("refuses a peer whose certificate has another name than the URL", async () => {
    const named = writeTlsFolder({ issuer: authority, host: "other.example.test" });
    expect(await failureOf(call(await startServer(named), WITH_CERTIFICATE))).toEqual([
      Reason.UNAVAILABLE,
      expect.stringContaining("Hostname/IP does not match certificate's altnames"),
    ]);
    // An address is no name either.
    expect(await failureOf(call(await startTls(), TRUSTING, "127.0.0.1"))).toEqual([
      Reason.UNAVAILABLE,
      expect.stringContaining("Hostname/IP does not match certificate's altnames"),
    ]);
  });

  test("refuses a peer without TLS", async () => {
    const server = await startAccessServer(() => ({ allowed: true }));
    resources.defer(() => server.stop());
    const [reason] = await failureOf(call(server, TRUSTING));
    expect(reason).toBe(Reason.UNAVAILABLE);
  });
});

describe("a port that demands client certificates", () => {
  test.each([
    ["without one", () => TRUSTING, "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE", undefined],
    [
      "with one of another authority",
      () => writeTlsFolder({ issuer: other, trusts: authority }),
      "ECONNRESET",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
  ])("refuses a client %s, counts and logs why, and serves others", async (_what, paths, code, certificate) => {
    const telemetry = testTelemetry();
    const warnings: unknown[] = [];
    telemetry.log.warn = (fields: unknown) => void warnings.push(fields);
    const server = await startServer(owner, telemetry);
    expect(await failureOf(call(server, paths()))).toEqual([Reason.UNAVAILABLE, expect.any(String)]);
    expect(await call(server, WITH_CERTIFICATE)).toBe(true);
    await waitFor(() => warnings[0], { deadlineMs: 30_000 });
    expect(warnings).toEqual([{ err: expect.objectContaining({ code }), certificate: certificate ?? null }]);
    expect(await telemetry.metrics.metrics()).toMatch(/^rpc_tls_handshakes_refused_total\S* [1-9]/m);
  });

  test("control: one that does not demand them serves both", async () => {
    const server = await startTls();
    expect(await call(server, TRUSTING)).toBe(true);
    expect(await call(server, writeTlsFolder({ issuer: other, trusts: authority }))).toBe(true);
  });
});

test.each([
  ["HTTP/1.1", "GET / HTTP/1.1\r\nhost: a\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
])("cleartext %s to a port with TLS is closed, and others are served", async (_what, bytes) => {
  const server = await startTls();
  const received = Promise.withResolvers<string>();
  let text = "";
  const socket = net.connect(server.port, "127.0.0.1", () => socket.write(bytes));
  socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
  socket.once("close", () => received.resolve(text));
  expect(await received.promise).not.toContain("HTTP/"); // at most an alert
  expect(await call(server, TRUSTING)).toBe(true);
});

test("a version before 1.2 is refused", async () => {
  const server = await startTls();
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const session = http2.connect(`https://localhost:${server.port}`, { ca: authority.certificate, ...old });
  resources.defer(async () => session.destroy());
  const failure = await new Promise<Error>((resolve) => session.once("error", resolve));
  expect(failure).toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
});

test("HTTP/2 over TLS has the limits of cleartext", async () => {
  const server = await startTls();
  const session = http2.connect(`https://localhost:${server.port}`, { ca: authority.certificate });
  resources.defer(async () => session.destroy());
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16_384 });
});
