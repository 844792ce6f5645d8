import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
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

/** Starts the next release of the workspace service while the present one runs: it migrates the schema, then serves. */
export async function startNextRelease({ environments, demo, nats, serviceDatabaseUrls }: System): Promise<Program> {
  const { preload, env } = without([NEXT]);
  return startProgram({
    name: "workspace-next",
    main: fileURLToPath(new URL("../../../services/workspace/src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      DATABASE_URL: serviceDatabaseUrls.workspace.url,
      MIGRATION_DATABASE_URL: serviceDatabaseUrls.workspace.ownerUrl,
      NATS_URL: nats.urlOf("workspace"),
      SERVICE_TOKEN: environments.workspace["SERVICE_TOKEN"] ?? "",
      SERVICE_CREDENTIALS: environments.workspace["SERVICE_CREDENTIALS"] ?? "",
      IDENTITY_URL: demo.services.identity,
      ENVIRONMENT_URL: demo.services.environment,
      LAME_DUCK_MS: "0",
      NEXT_MIGRATIONS: fileURLToPath(new URL(".", import.meta.url)),
      ...env,
    },
    preload,
  });
}
