import { openDatabase } from "@cloud/postgres";
import { testTelemetry } from "@cloud/testkit";
import { forEachService } from "../../test/chaos/system/services.ts";
import { startSystem } from "../../test/chaos/system/start-system.ts";
import { openDatabases } from "../../test/chaos/system/system-databases.ts";
import { bundlePrograms } from "../harness/bundle-programs.ts";
import { IMAGE_ENVIRONMENT } from "../harness/image-environment.ts";
import { startClient } from "../harness/start-client.ts";
import type { Part } from "../part.ts";
import type { Databases } from "./growth-request.ts";
import { linkRequests } from "./link-requests.ts";
import { logRequests } from "./log-requests.ts";
import { measureCreates } from "./measure-creates.ts";
import { measureDeletion } from "./measure-deletion.ts";
import { measureLatencies } from "./measure-latencies.ts";
import { measurePurge } from "./measure-purge.ts";
import { measureSizes } from "./measure-sizes.ts";
import { measureStatements } from "./measure-statements.ts";
import { organizationRequests } from "./organization-requests.ts";
import { scaleOf } from "./scale.ts";
import { seedLinks } from "./seed/seed-links.ts";
import { seedLogs } from "./seed/seed-logs.ts";
import { seedOrganizations } from "./seed/seed-organizations.ts";

/**
 * Measures the latency of requests to a large organization, log or workspace beside the same requests to a small one.
 */
export const measureGrowth: Part = async (options, recorder) => {
  await using resources = new AsyncDisposableStack();
  const scale = scaleOf(options);
  const system = await startSystem({
    mainOf: await bundlePrograms(),
    // Passes of the reconciler would be measured.
    env: { ...IMAGE_ENVIRONMENT, RECONCILER_INTERVAL_MS: "600000" },
  });
  resources.defer(() => system.stop());
  const superuser = openDatabases(system);
  resources.defer(() => superuser.close());
  const { log } = testTelemetry();
  const databases: Databases = await forEachService(async (schema) => {
    const db = openDatabase({ url: system.serviceDatabaseUrls[schema].url, schema, applicationName: "bench", log });
    resources.defer(() => db.close());
    return db;
  });
  const client = startClient();
  resources.defer(() => client.stop());
  const { token } = system.demo.users.orgAdmin;
  const run = { ...options, client, port: system.gateway.port, recorder };

  const organizations = await seedOrganizations(system, superuser, scale.workspaces);
  const ofOrganizations = organizationRequests(organizations, token);
  await measureLatencies(ofOrganizations, run);
  await measureStatements(ofOrganizations, databases, run);
  await measureCreates(superuser, organizations.at(-1)?.id ?? "", token, run);

  const logs = logRequests(await seedLogs(superuser, organizations, scale.lines), token);
  await measureLatencies(logs, run);
  await measureStatements(logs, databases, run);

  await measureLatencies(linkRequests(await seedLinks(system, superuser, scale.links), token), run);
  await measureSizes(superuser, recorder);
  await measurePurge(superuser, databases, { lines: scale.purged, recorder });
  await measureDeletion(system, superuser, { records: scale.deleted, recorder });
};
