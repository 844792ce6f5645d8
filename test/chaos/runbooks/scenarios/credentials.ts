import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createProgram, takeStablePort, testFolder, waitFor } from "@cloud/testkit";
import { createAuthority } from "@cloud/testkit/faults";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { expect } from "@jest/globals";
import pg from "pg";
import { restFor } from "../../../e2e/rest.ts";
import { publishDeletions } from "../../forged-events/publish-deletions.ts";
import { made } from "../../places/made.ts";
import {
  conditionsBecome,
  DEADLINE,
  deleteEnvironments,
  linksEnd,
  metricBecomes,
  type Player,
  type Scenario,
  type Stage,
  seedLinks,
} from "../stage.ts";
import { meanwhile } from "./changes.ts";

export const rotateCredentials: Scenario = async (stage) => {
  const page = stage.open("rotate-credentials", {
    SERVICE: "environment",
    CALLEES: "identity",
    PROGRAM: "identity",
  });
  await serviceCredential(stage, page);
  await databaseRole(stage, page);
  await natsUser(stage, page);
  await certificate(stage, page);
  await userToken(stage, page);
  await bootstrapToken(stage, page);
  for (const service of ["identity", "environment", "workspace"]) await conditionsBecome(stage, service, []);
};

async function serviceCredential(stage: Stage, page: Player): Promise<void> {
  const old = stage.cluster.secrets.get("environment-credentials")["SERVICE_TOKEN"] ?? "";
  expect(await refusal(stage, old)).not.toBe(Code.Unauthenticated);
  const failed = await meanwhile(stage, async () => {
    await page.run("NEW=");
    await page.run("SERVICE_TOKEN");
    await page.run("grep --invert-match");
  });
  expect(failed).toEqual([]);
  const present = stage.cluster.secrets.get("environment-credentials")["SERVICE_TOKEN"] ?? "";
  expect(present).toBe(page.shell.get("NEW"));
  expect(await refusal(stage, old)).toBe(Code.Unauthenticated);
  expect(await refusal(stage, present)).not.toBe(Code.Unauthenticated);
}

/** Control: a service uses a credential before its callees accept it, as if the first of three steps were missing. */
export const withoutTheFirstStep: Scenario = async (stage) => {
  const { secrets, deployment } = stage.cluster;
  const kept = secrets.get("environment-credentials");
  const failed = await meanwhile(stage, async () => {
    secrets.patch("environment-credentials", { SERVICE_TOKEN: "a-credential-that-no-callee-accepts" });
    await deployment("environment").restart();
  });
  expect(failed.length).toBeGreaterThan(0);
  secrets.set("environment-credentials", kept);
  await deployment("environment").restart();
};

/** Calls identity with a service's credential, by an RPC that is not for it. */
async function refusal({ cluster }: Stage, credential: string): Promise<Code | undefined> {
  const transport = createServiceTransport({ url: cluster.system.demo.services.identity });
  try {
    const headers = { authorization: `Bearer ${credential}` };
    return await createClient(TeamService, transport)
      .listTeams({}, { headers })
      .then(() => undefined, codeOf);
  } finally {
    transport.close();
  }
}

const codeOf = (error: unknown) => ConnectError.from(error).code;

async function databaseRole({ cluster }: Stage, page: Player): Promise<void> {
  const old = cluster.secrets.get("environment-database")["DATABASE_URL"] ?? "";
  const { username, host, pathname } = new URL(old);
  page.shell.set({ ROLE: username, POSTGRES: host + pathname });
  await page.run("PASSWORD=");
  await page.query("alter role");
  await page.run("kubectl rollout restart");
  await expect(new pg.Client({ connectionString: old }).connect()).rejects.toThrow("password authentication failed");
}

/** The role has lost LOGIN, and its sessions have ended. */
export const postgresLogin: Scenario = async (stage) => {
  const { databases, secrets } = stage.cluster;
  const { username: ROLE, pathname } = new URL(secrets.get("workspace-database")["DATABASE_URL"] ?? "");
  await databases.query("update pg_authid set rolcanlogin = false where rolname = $1", [ROLE]);
  await databases.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [ROLE]);
  const condition = { condition: "postgres-login" };
  await metricBecomes(stage, "workspace", "operator_condition", (pods) => pods === 2, condition);

  const page = stage.open("postgres-login", { ROLE, DATABASE: pathname.slice(1) });
  expect(await page.query("rolcanlogin")).toMatchObject([{ login: false, connect: true }]);
  await page.query("login valid until");
  await page.query("grant connect");
  await conditionsBecome(stage, "workspace", []);
};

async function natsUser(stage: Stage, page: Player): Promise<void> {
  const { environments } = await seedLinks(stage, 1);
  expect(await meanwhile(stage, async () => void (await page.run("statefulset/nats")))).toEqual([]);
  await metricBecomes(stage, "environment", "messaging_connected", (connected) => connected === 2);
  await deleteEnvironments(stage, environments);
  await linksEnd(stage, environments);
}

/** Starts identity with a certificate of cert-manager's, beside the others, which have none here. */
async function certificate({ cluster: { secrets, system } }: Stage, page: Player): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const authority = createAuthority();
  secrets.keep("identity-tls", () => {
    const { certificate: issued, key } = authority.issue("identity");
    return { "ca.crt": authority.certificate, "tls.crt": issued, "tls.key": key };
  });
  const folder = secrets.folderOf("identity-tls");
  const program = createProgram({
    name: "identity",
    main: join(import.meta.dirname, "../../../../services/identity/src/main.ts"),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      ...system.environments.identity,
      ...secrets.get("identity-credentials"),
      ...secrets.get("identity-database"),
      LAME_DUCK_MS: "0",
      TLS_CERT_FILE: join(folder, "tls.crt"),
      TLS_KEY_FILE: join(folder, "tls.key"),
    },
  });
  resources.defer(() => program.close());
  await program.start();
  const shown = async () => {
    const socket = connect({
      port: program.port,
      host: "127.0.0.1",
      ca: readFileSync(join(folder, "ca.crt")),
      servername: "localhost",
    });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };
  const before = await shown();
  const pid = program.pid();
  await page.run("kubectl delete secret");
  await waitFor(async () => (await shown()) !== before || undefined, DEADLINE);
  expect(program.pid()).toBe(pid);
}

async function userToken({ cluster: { system }, rest }: Stage, page: Player): Promise<void> {
  const { token, secret } = await made(rest.orgAdmin.post("/identity/tokens", { name: "to be replaced" }));
  page.shell.set({ TOKEN: secret, OLD_ID: token.id });
  const { secret: fresh } = JSON.parse(await page.run("--json")) as { secret: string };
  page.shell.set({ TOKEN: fresh });
  await page.run("--request DELETE");
  expect(await restFor(system.demo, secret).get("/identity/users/profile")).toMatchObject({ status: 401 });
  expect(await restFor(system.demo, fresh).get("/identity/users/profile")).toMatchObject({ status: 200 });
}

async function bootstrapToken({ cluster: { secrets, system } }: Stage, page: Player): Promise<void> {
  await page.run("bootstrap-token");
  const { token = "" } = secrets.get("bootstrap-token");
  expect(await restFor(system.demo, token).get("/identity/audit")).toMatchObject({ status: 200 });
}

/** A pod forges events of records that live, and makes a token. */
export const compromisedPod: Scenario = async (stage) => {
  const { system, secrets, deployment, databases } = stage.cluster;
  const since = new Date(Date.now() - 1_000).toISOString();
  const made = `insert into identity.tokens (id, user_id, name, digest, hint)
    values (gen_random_uuid(), $1, 'made by hand', sha256('made by hand'), '') returning id`;
  const [token] = await databases.query<{ id: string }>(made, [system.demo.users.outsider.id]);
  const { workspaceId, environments } = await seedLinks(stage, 1);
  const { organizations, teams } = system.demo;
  const forged = { workspace: workspaceId, environment: environments[0] ?? "", team: teams.first[0] ?? "" };
  await publishDeletions(system.nats.url, [{ ...forged, organization: organizations[0]?.id ?? "" }]);
  const refuted = "select from workspace.parked_messages where reason = 'refuted' and replayed_at is null";
  await waitFor(async () => (await databases.query(refuted)).length === 3 || undefined, DEADLINE);
  const [pod] = deployment("environment").pods();
  const pid = pod?.program.pid();
  const evidence = testFolder();
  const page = stage.open("compromised-pod", {
    SERVICE: "workspace",
    POD: pod?.name ?? "",
    EVIDENCE: evidence,
    ROLE: new URL(secrets.get("environment-database")["DATABASE_URL"] ?? "").username,
    TOKEN: system.demo.users.providerAdmin.token,
    SINCE: since,
  });
  await page.run("kubectl label pod");
  expect(pod?.program.pid()).not.toBe(pid);
  await page.run("kubectl describe pod");
  expect(readFileSync(join(evidence, `${pod?.name}.log`), "utf8")).toContain('"msg"');
  const [ended] = await page.query("pg_terminate_backend");
  expect(Number(ended?.["ended"])).toBeGreaterThan(0);
  expect(JSON.parse(await page.run("audit"))).toHaveProperty("events");
  expect(await page.query("identity.tokens")).toEqual([expect.objectContaining({ id: token?.id })]);
  expect((await page.run("replay --dry-run")).match(/"reason":"refuted"/g)).toHaveLength(3);
  expect(await page.run("reconcile --dry-run")).toContain("nothing would be repaired");

  const live = await databases.query<{ id: string }>("select id from identity.tokens where revoked_at is null");
  await page.query("revoked_at = now()");
  expect(await stage.rest.orgAdmin.get("/identity/users/profile")).toMatchObject({ status: 401 });
  const given = live.map(({ id }) => id).filter((id) => id !== token?.id);
  await databases.query("update identity.tokens set revoked_at = null where id = any($1)", [given]);
  await page.run("kubectl delete pod");
  await conditionsBecome(stage, "environment", []);
};
