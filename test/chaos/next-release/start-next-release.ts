import { fileURLToPath } from "node:url";
import { createProgram, type Program, type RemovedProtection, takeStablePort, without } from "@cloud/testkit";
import { runProcess } from "../runbooks/cluster/run-process.ts";
import type { System } from "../system/start-system.ts";

/** The program of the present release with this folder of migrations in addition. */
const NEXT: RemovedProtection = {
  marker: "migrations-in-order",
  instead: `
    const next = { folder: process.env.NEXT_MIGRATIONS, name };
    return [messagingMigrations, serviceMigrations, { folder: migrations, name }, next];`,
};

/** Returns the environment with which Node runs the sources of the next release in place of the present ones. */
export function nextRelease(): Readonly<Record<string, string>> {
  const { preload, env } = without([NEXT]);
  const options = preload.map((module) => `--import=${module}`).join(" ");
  return { ...env, NODE_OPTIONS: options, NEXT_MIGRATIONS: fileURLToPath(new URL(".", import.meta.url)) };
}

/**
 * Migrates to the next release of the workspace service as its Job does in deploy/overlays/production: as the owner of the
 * schema, without a credential of the service. Returns the exit code.
 */
export async function runMigrationJob({ serviceDatabaseUrls: { workspace } }: System): Promise<number> {
  const { code } = await runProcess(process.execPath, ["services/workspace/src/main.ts"], {
    ...nextRelease(),
    MIGRATE: "only",
    MIGRATION_DATABASE_URL: workspace.ownerUrl,
    DATABASE_ROLE: new URL(workspace.url).username,
  });
  return code;
}

/** Creates a pod of the next release: it never migrates, and has no password of the owner. */
export async function createNextRelease(system: System): Promise<Program> {
  const { preload, env } = without([NEXT]);
  const { MIGRATION_DATABASE_URL: _ofTheJob, ...own } = system.environments.workspace;
  return createProgram({
    name: "workspace-next",
    main: fileURLToPath(new URL("../../../services/workspace/src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { ...own, MIGRATE: "off", LAME_DUCK_MS: "0", NEXT_MIGRATIONS: nextRelease()["NEXT_MIGRATIONS"] ?? "", ...env },
    preload,
  });
}
