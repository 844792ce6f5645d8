import { randomUUID } from "node:crypto";
import { waitFor } from "@cloud/testkit";
import { expect } from "@jest/globals";
import pg from "pg";
import { DEADLINE, metricBecomes, type Scenario, type Stage, seedLinks } from "../stage.ts";

const workspaces = ({ cluster: { system }, rest }: Stage) =>
  rest.orgAdmin.get(`/workspaces?orgId=${system.demo.organizations[0]?.id}`);

/** A release of the workspace service with a wrong setting: it is ready, and refuses every request. */
export const errors: Scenario = async (stage) => {
  const { system, deployment } = stage.cluster;
  await deployment("workspace").setEnvironment({ IDENTITY_URL: "http://127.0.0.1:9" });
  expect(await workspaces(stage)).toMatchObject({ status: 503 });

  const failed = () => system.gateway.log().find(({ msg, status }) => msg === "request" && Number(status) >= 500);
  const line = await waitFor(failed, DEADLINE);
  const page = stage.open("errors", { SERVICE: "workspace", REQUEST_ID: String(line["requestId"]) });
  const listed = await page.run('"status":5');
  expect(listed).toContain('"code":"UNAVAILABLE"');
  expect(listed).toContain('"route":"');
  const story = await page.run("--selector");
  expect(story).toMatch(/"service":"gateway"|"route"/);
  await page.run("kubectl rollout undo");
  expect(await workspaces(stage)).toMatchObject({ status: 200 });
};

/** A session of an application named like the service waits. */
export const latency: Scenario = async (stage) => {
  await using resources = new AsyncDisposableStack();
  const slow = await connect(resources, stage, "workspace");
  const sleeping = slow.query("select pg_sleep(60)").catch(() => undefined);
  const page = stage.open("latency", { SERVICE: "workspace" });
  const rows = await page.query("pg_stat_activity");
  expect(rows).toContainEqual(expect.objectContaining({ wait_event: "PgSleep", query: "select pg_sleep(60)" }));
  const cancelled = "select pg_cancel_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'";
  await stage.cluster.databases.query(cancelled);
  await sleeping;
  await page.query("analyze");
};

/** Removes one of two replicas; then one client takes too much. */
export const overload: Scenario = async (stage) => {
  const { deployment } = stage.cluster;
  await deployment("environment").scale(1);
  const page = stage.open("overload", { SERVICE: "environment", N: "2" });
  await page.run("kubectl scale");
  expect(deployment("environment").pods()).toHaveLength(2);
  await page.run("RATE_LIMIT_PER_TOKEN");
  const { headers } = await stage.rest.orgAdmin.get(
    `/environments?orgId=${stage.cluster.system.demo.organizations[0]?.id}`,
  );
  expect(headers.get("RateLimit-Policy")).toContain("q=600");
  await metricBecomes(stage, "environment", "admission_refused_total", (refused) => refused === 0);
};

/** A session that was left open holds the row of a workspace. */
export const poolExhausted: Scenario = async (stage) => {
  await using resources = new AsyncDisposableStack();
  const { workspaceId } = await seedLinks(stage, 0);
  const holder = await connect(resources, stage, "left open");
  await holder.query("begin");
  await holder.query("select from workspace.workspaces where id = $1 for update", [workspaceId]);
  const updating = stage.rest.orgAdmin.put(`/workspaces/${workspaceId}`, { name: "Renamed" });

  const page = stage.open("pool-exhausted", {});
  const waiting = "select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0";
  await waitFor(async () => (await stage.cluster.databases.query(waiting)).length > 0 || undefined, DEADLINE);
  const rows = await page.query("pg_blocking_pids");
  const [blocked] = rows.filter(({ waits_for: pids }) => (pids as number[]).length > 0);
  expect(blocked).toMatchObject({ application_name: "workspace" });
  page.shell.set({ PID: String((blocked?.["waits_for"] as number[] | undefined)?.[0]) });
  await page.query("pg_terminate_backend");
  expect(await updating).toMatchObject({ status: 200 });
  await metricBecomes(stage, "workspace", "db_client_connection_pending_requests", (requests) => requests === 0);
};

/** A release with a setting that the program refuses. */
export const programDown: Scenario = async (stage) => {
  const deployment = stage.cluster.deployment("environment");
  await expect(deployment.setEnvironment({ OUTBOX_DAYS: "1" })).rejects.toThrow("OUTBOX_DAYS");

  const page = stage.open("program-down", { SERVICE: "environment" });
  const [, pod = ""] = /^(\S+) +CrashLoopBackOff$/m.exec(await page.run("kubectl get pods")) ?? [];
  page.shell.set({ POD: pod });
  const described = await page.run("kubectl describe");
  expect(described).toContain("Exit Code: 1");
  expect(described).toContain("OUTBOX_DAYS");
  await page.run("kubectl rollout undo");
  for (const { program } of deployment.pods()) expect((await fetch(`${program.operatorUrl}/readyz`)).status).toBe(200);
};

/** The lines of the log come from a server with later transactions. */
export const afterADump: Scenario = async (stage) => {
  const { workspaceId } = await seedLinks(stage, 0);
  const { databases, system } = stage.cluster;
  const line = `insert into workspace.activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, xact)
    values ($1, $2, $3, '', 'update', 'success', '', '', 'workspace', '999999999999')`;
  await databases.query(line, [randomUUID(), workspaceId, system.demo.organizations[0]?.id]);
  const watch = async () => {
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${system.demo.gateway}/api/workspaces/${workspaceId}/events:watch`, {
      headers: { authorization: `Bearer ${system.demo.users.orgAdmin.token}` },
      signal,
    });
    await response.body?.cancel();
    return response.status;
  };
  await waitFor(async () => (await watch()) === 503 || undefined, DEADLINE);
  await stage.open("restore", {}).query("set xact");
  await waitFor(async () => (await watch()) === 200 || undefined, DEADLINE);
};

async function connect(resources: AsyncDisposableStack, { cluster }: Stage, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.system.databaseUrl, application_name: name });
  client.on("error", () => undefined); // the page ends its session
  resources.defer(() => client.end().catch(() => undefined));
  await client.connect();
  return client;
}
