import { type Database, statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as activity from "../../../../services/workspace/src/activity/sql.ts";
import { openMigrated, type Service } from "../schemas/service-schemas.ts";
import { scansOf, scansOfAny } from "./scans-of.ts";
import { idOf, seeds } from "./seeds.ts";
import { environmentStatements } from "./statements/environment.ts";
import { identityStatements } from "./statements/identity.ts";
import { byDate } from "./statements/parameters.ts";
import type { PlannedStatement } from "./statements/planned-statement.ts";
import { workspaceStatements } from "./statements/workspace.ts";

const statements: Readonly<Record<Service, readonly PlannedStatement[]>> = {
  identity: identityStatements,
  environment: environmentStatements,
  workspace: workspaceStatements,
};

/** The lists with `isPlannedOnce`. */
const PLANNED_ONCE: ReadonlySet<string> = new Set([
  "selectWorkspacesOf",
  "selectEnvironmentsOf",
  "selectEnvironmentsAmong",
  "selectEnvironmentsAmong, the others",
  "selectTeamsOf an organization",
]);

function expectAllowed(scans: readonly string[], indexes: readonly string[]): void {
  const allowed = (scan: string, expected = "") => (expected.split(" or ").includes(scan) ? expected : scan);
  expect(scans.map((scan, index) => allowed(scan, indexes[index]))).toEqual(indexes);
}

const SEEDING_MS = 120_000;

describe.each(["identity", "environment", "workspace"] as const)("%s", (service) => {
  const resources = new AsyncDisposableStack();
  let db: Database;

  beforeAll(async () => {
    db = await openMigrated(service, resources);
    for (const seed of seeds[service]) await execute(db, seed);
    await db.read(statement`analyze`);
  }, SEEDING_MS);
  afterAll(() => resources.disposeAsync());

  test.each(statements[service])("%s", async (_name, run, ...indexes) => {
    expectAllowed(await scansOf(db, run), indexes);
  });

  test.each(statements[service].filter(([name]) => PLANNED_ONCE.has(name)))(
    "%s, for any parameters",
    async (_name, run, ...indexes) => expectAllowed(await scansOfAny(db, run), indexes),
  );

  // Last, because it leaves the schema without them.
  if (service !== "workspace") return;
  test("control: reports that an index is missing", async () => {
    await execute(
      db,
      statement`drop index activity_events_by_workspace, activity_events_by_description, activity_events_by_position`,
    );
    await db.read(statement`analyze`);
    const scans = await scansOf(db, (tx) => activity.selectActivities(tx, idOf(7), byDate));
    expect(scans).toEqual(["all of activity_events", "live_counts_pkey"]);
  });
});
