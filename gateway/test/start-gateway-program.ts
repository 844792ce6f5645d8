import { fileURLToPath } from "node:url";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";

/** Starts the gateway as a program of its own, without the protections; it reaches every service at `serviceUrl`. */
export async function startGatewayProgram(
  serviceUrl: string,
  removed: readonly RemovedProtection[] = [],
): Promise<Program> {
  const { preload, env } = without(removed);
  return await startProgram({
    name: "gateway",
    main: fileURLToPath(new URL("../src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { ...env, WORKSPACE_URL: serviceUrl, ENVIRONMENT_URL: serviceUrl, IDENTITY_URL: serviceUrl },
    preload,
  });
}
