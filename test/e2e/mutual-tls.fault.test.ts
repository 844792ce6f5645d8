import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCredentials, credentialsFor } from "@cloud/local-stack";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { createServiceTransport, openTlsFiles } from "@cloud/rpc";
import {
  createProgram,
  createTestDatabase,
  type LogLine,
  type Program,
  startTestNats,
  takeStablePort,
  testFolder,
  testTelemetry,
  waitFor,
} from "@cloud/testkit";
import { createAuthority } from "@cloud/testkit/faults";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openEventStream } from "./watches/read-events.ts";

const DEADLINE = { deadlineMs: 30_000 };
const SERVICES = ["identity", "environment", "workspace"] as const;
const authority = createAuthority();
const credentials = createCredentials(randomBytes(24).toString("base64url"));
const resources = new AsyncDisposableStack();

let services: readonly Program[];
let gateway: Program;
let stranger: Program;
let token: string;
let organizationId: string;

/** Writes the Secret of a program, as cert-manager does. */
function writeSecret(issuer = authority) {
  const folder = testFolder();
  const { certificate, key } = issuer.issue("test");
  const files = { "ca.crt": authority.certificate, "tls.crt": certificate, "tls.key": key };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  const [ca, cert, own] = ["ca.crt", "tls.crt", "tls.key"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  return {
    peer: { PEER_CA_FILE: ca, PEER_CERT_FILE: cert, PEER_KEY_FILE: own },
    server: { TLS_CLIENT_CA_FILE: ca, TLS_CERT_FILE: cert, TLS_KEY_FILE: own },
    paths: { caFile: ca, certFile: cert, keyFile: own },
  };
}

function credentialsOf(name: (typeof SERVICES)[number]) {
  const accepted = credentialsFor(name, credentials).map((peer) => `${peer.name}:${peer.secret}`);
  return { SERVICE_TOKEN: credentials[name], SERVICE_CREDENTIALS: accepted.join(",") };
}

async function start(name: string, folder: string, port: number, env: Record<string, string>): Promise<Program> {
  const main = fileURLToPath(new URL(`../../${folder}/src/main.ts`, import.meta.url));
  const operatorPort = await takeStablePort();
  const program = createProgram({ name, main, port, operatorPort, env: { LAME_DUCK_MS: "0", ...env } });
  resources.defer(() => program.close());
  await program.start();
  return program;
}

beforeAll(async () => {
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const ports = {
    identity: await takeStablePort(),
    environment: await takeStablePort(),
    workspace: await takeStablePort(),
  };
  const urls = {
    IDENTITY_URL: `https://localhost:${ports.identity}`,
    ENVIRONMENT_URL: `https://localhost:${ports.environment}`,
    WORKSPACE_URL: `https://localhost:${ports.workspace}`,
  };
  const starting = SERVICES.map(async (name) => {
    const database = await createTestDatabase(name);
    resources.defer(() => database.drop());
    const { server, peer } = writeSecret();
    const access = {
      DATABASE_URL: database.url,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      NATS_URL: nats.urlOf(name),
    };
    const env = { ...urls, ...access, ...server, ...peer, ...credentialsOf(name) };
    return await start(name, `services/${name}`, ports[name], env);
  });
  services = await Promise.all(starting);
  gateway = await start("gateway", "gateway", await takeStablePort(), { ...urls, ...writeSecret().peer });
  // Trusts the services, but its own certificate is of another authority.
  const { peer } = writeSecret(createAuthority("other"));
  stranger = await start("gateway", "gateway", await takeStablePort(), { ...urls, ...peer });

  const tls = openTlsFiles(writeSecret().paths, testTelemetry().log);
  const identity = createServiceTransport({ url: urls.IDENTITY_URL, serviceToken: credentials.operator, tls });
  resources.defer(async () => identity.close());
  const { user } = await createClient(UserService, identity).createUser({ email: "a@example.test" });
  const owner = user?.id ?? "";
  const { organization } = await createClient(OrganizationService, identity).createOrganization({ owner });
  organizationId = organization?.id ?? "";
  token = (await createClient(TokenService, identity).createToken({ userId: owner })).secret;
}, 90_000);

afterAll(() => resources.disposeAsync());

async function request(from: Program, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${from.url}/api${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>) };
}

async function created(path: string, name: string): Promise<string> {
  const response = await request(gateway, "POST", path, { organizationId, name });
  expect(response).toMatchObject({ status: 201 });
  return String(response.body?.["id"]);
}

test("requests pass the gateway, the services and their peers with mutual TLS, and events take effect", async () => {
  const workspace = await created("/workspaces", "Over TLS");
  const environment = await created("/environments", "Over TLS");
  const link = `/workspaces/${workspace}/environments/${environment}`;
  expect((await request(gateway, "POST", link)).status).toBeLessThan(300);
  const environments = () => request(gateway, "GET", `/workspaces/${workspace}/environments`);
  expect((await environments()).body).toMatchObject({ totalCount: 1 });
  expect(await request(gateway, "DELETE", `/environments/${environment}`)).toMatchObject({ status: 204 });
  // The consumer asks the environment service whether the record is deleted, over TLS, before it unlinks.
  const unlinked = async () => {
    const { body } = await request(gateway, "GET", `/workspaces/${workspace}/events?pageSize=100`);
    return JSON.stringify(body).includes("environment was deleted") || undefined;
  };
  expect(await waitFor(unlinked, DEADLINE)).toBe(true);
});

test("a gateway whose certificate is of another authority reaches no service, and the services log why", async () => {
  expect(await request(stranger, "GET", "/workspaces")).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
  const refusals = () => services.flatMap((service) => service.log().filter(isRefusal));
  expect(await waitFor(() => refusals()[0], DEADLINE)).toMatchObject({
    certificate: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  });
});

const isRefusal = ({ msg }: LogLine) => msg === "a TLS handshake was refused";

test("without TLS a service serves no call", async () => {
  await expect(fetch(services[0]?.url ?? "")).rejects.toThrow("fetch failed");
});

test("a program with half of a certificate does not start, and names what is missing", async () => {
  const { PEER_CERT_FILE } = writeSecret().peer;
  const urls = { IDENTITY_URL: "https://a", ENVIRONMENT_URL: "https://a", WORKSPACE_URL: "https://a" };
  const starting = start("gateway", "gateway", await takeStablePort(), { ...urls, PEER_CERT_FILE });
  await expect(starting).rejects.toThrow("PEER_KEY_FILE: is required with PEER_CERT_FILE");
});

test("a watch passes the gateway, too", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const list = await fetch(`${gateway.url}/api/workspaces?orgId=${organizationId}`, { headers });
  const { workspaces } = (await list.json()) as { workspaces: { id: string }[] };
  const stream = await openEventStream(
    `${gateway.url}/api/workspaces/${workspaces[0]?.id}/events:watch?after=00000000-0000-0000-0000-000000000000`,
    headers,
  );
  const { value } = await stream.events.next();
  stream.leave();
  expect(JSON.parse(value.data)).toMatchObject({ event: { action: "create" } });
});
