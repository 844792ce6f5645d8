import { startLoad } from "@cloud/testkit/figures";
import { expect } from "@jest/globals";
import { restFor } from "../../../e2e/rest.ts";
import { systemRest } from "../../../e2e/system-rest.ts";
import { nextRelease } from "../../next-release/start-next-release.ts";
import { createParts, linkParts } from "../../places/create-place.ts";
import { made } from "../../places/made.ts";
import { conditionsBecome, drained, type Scenario, type Stage } from "../stage.ts";

/** Requests of an Org Admin to all services, 20 a second. Returns what failed. */
export async function meanwhile({ cluster: { system }, rest }: Stage, work: () => Promise<void>): Promise<unknown[]> {
  const organization = system.demo.organizations[0]?.id;
  const paths = ["/workspaces", "/environments", "/identity/teams"].map((path) => `${path}?orgId=${organization}`);
  const load = startLoad(20, async (index) => {
    const { status, body } = await rest.orgAdmin.get(paths[index % paths.length] ?? "");
    return status === 200 ? undefined : body;
  });
  await work().finally(() => load.stop());
  expect(load.samples().length).toBeGreaterThan(0);
  return load.samples().flatMap(({ result, error }) => error ?? result ?? []);
}

export const scaling: Scenario = async (stage) => {
  const deployment = stage.cluster.deployment("workspace");
  await deployment.scale(1);
  const page = stage.open("scaling", { SERVICE: "workspace", N: "1" });
  const failed = await meanwhile(stage, async () => {
    expect(await page.query("max_connections")).toContainEqual(
      expect.objectContaining({ application_name: "workspace" }),
    );
    await page.run("kubectl patch hpa");
    expect(deployment.pods()).toHaveLength(2);
    await page.run("kubectl scale");
    expect(deployment.pods()).toHaveLength(1);
    await page.run("kubectl rollout status");
  });
  expect(failed).toEqual([]);
  await deployment.scale(2);
};

/** The next release of the workspace service has two migrations more. */
export const upgrade: Scenario = async (stage) => {
  const { databases, release } = stage.cluster;
  const next = nextRelease();
  const migrations = "select from workspace.schema_migrations where name = '0900_next_release.sql'";
  release("workspace", next);
  const { MIGRATION_DATABASE_URL = "", DATABASE_URL = "" } = stage.cluster.system.environments.workspace;
  const DATABASE_ROLE = new URL(DATABASE_URL).username;
  const page = stage.open("upgrade", { SERVICE: "workspace", MIGRATION_DATABASE_URL, DATABASE_ROLE, ...next });
  const applied = "workspace/0900_next_release.sql\nworkspace/0901_next_index.sql\n2 would be applied\n";
  expect(await page.run("migrate --dry-run")).toBe(applied);
  page.shell.set({ NODE_OPTIONS: "" }); // the sources of the new release were needed for that alone
  const failed = await meanwhile(stage, async () => {
    await page.run("kubectl apply");
    await page.run("kubectl rollout status");
    expect(await page.run("kubectl logs job")).toContain("2 applied");
    expect(await databases.query(migrations)).toHaveLength(1);
    await page.run("kubectl rollout undo");
  });
  expect(failed).toEqual([]);
  await conditionsBecome(stage, "workspace", []);
};

/** An organization with a record of each kind, whose names must be in no table afterwards. */
export const deleteOrganization: Scenario = async (stage) => {
  const { system, databases } = stage.cluster;
  const asSystem = systemRest(system.demo);
  const user = await made(asSystem.post("/identity/users", { email: "admin@place.example" }));
  const { secret: token } = await made(asSystem.post("/identity/tokens", { userId: user.id }));
  const { id } = await made(asSystem.post("/identity/organizations", { name: "Erasable", owner: user.id }));
  const rest = restFor(system.demo, token);
  await linkParts(rest, await createParts(rest, id, "Erasable"));
  await made(rest.post("/credentials", { organizationId: id, name: "Erasable", type: "token" }));
  await drained(stage);

  const page = stage.open("delete-organization", { SERVICE: "workspace", ORGANIZATION: id, TOKEN: token });
  expect(JSON.parse(await page.run("curl"))).toMatchObject({ id, name: "Erasable" });
  await page.run("--request DELETE");
  await drained(stage);
  expect(await page.query("environment.environments")).toEqual([{ live: "0" }]);
  expect(await page.query("workspace.workspaces")).toEqual([{ live: "0" }]);
  expect((await tablesWith(stage, "Erasable")).length).toBeGreaterThan(0);
  await page.query("identity.organizations");
  await page.query("environment.environments");
  await page.query("workspace.workspaces");
  expect(await page.run("purge --dry-run")).toContain("rows are older");
  expect(await page.run("operator.mjs purge")).toContain("were deleted");
  expect(await tablesWith(stage, "Erasable")).toEqual([]);
  for (const service of ["identity", "environment", "workspace"]) await conditionsBecome(stage, service, []);
  const entries = "select from identity.audit_events where action = 'organization.deleted' and target = $1";
  expect(await databases.query(entries, [id])).toHaveLength(1);
};

/** Returns the tables that have a text in any row. */
async function tablesWith({ cluster: { databases } }: Stage, text: string): Promise<string[]> {
  const [written] = await databases.query<{ statement: string }>(searchOfAllTables, [text]);
  const statement = written?.statement ?? "";
  return (await databases.query<{ name: string }>(statement)).map(({ name }) => name);
}

const searchOfAllTables = `
  select string_agg(
    format('(select %1$L as name from %2$I.%3$I as line where line::text like %4$L limit 1)',
      tablename, schemaname, tablename, '%' || $1 || '%'), ' union all ') as statement
  from pg_tables
  where schemaname in ('identity', 'environment', 'workspace')`;
