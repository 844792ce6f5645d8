import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import type { System } from "../system/start-system.ts";

/** The same program with one more folder of migrations: this one. */
const NEXT: RemovedProtection = {
  file: "packages/service/src/start-service.ts",
  find: "{ folder: parts.migrations, name }",
  replace: "{ folder: parts.migrations, name }, { folder: process.env.NEXT_MIGRATIONS, name }",
};

/** Starts the next release of the workspace service beside the present one: it migrates the schema, then serves. */
export async function startNextRelease({ demo, nats, serviceDatabaseUrls }: System): Promise<Program> {
  const { preload, env } = without([NEXT]);
  return startProgram({
    name: "workspace-next",
    main: fileURLToPath(new URL("../../../../../services/workspace/src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    env: {
      DATABASE_URL: serviceDatabaseUrls.workspace,
      NATS_URL: nats.url,
      SERVICE_TOKEN: demo.serviceToken,
      IDENTITY_URL: demo.services.identity,
      ENVIRONMENT_URL: demo.services.environment,
      LAME_DUCK_MS: "0",
      NEXT_MIGRATIONS: fileURLToPath(new URL(".", import.meta.url)),
      ...env,
    },
    preload,
  });
}
