import type { SchemaUrls } from "@cloud/local-servers";
import type { ServiceName, System } from "../system/start-system.ts";

/**
 * Stops all replicas of a service and starts them on another database; without URLs, on their own. Returns whether
 * they serve: a program that detects that it cannot work may refuse to start.
 */
export async function restartOn(system: System, name: ServiceName, urls?: SchemaUrls): Promise<"serves" | "refuses"> {
  const replicas = system.services[name];
  await Promise.all(replicas.map((program) => program.stop()));
  for (const program of replicas) {
    program.setEnvironment(urls === undefined ? {} : { DATABASE_URL: urls.url, MIGRATION_DATABASE_URL: urls.ownerUrl });
  }
  const started = await Promise.allSettled(replicas.map((program) => program.start()));
  return started.every(({ status }) => status === "fulfilled") ? "serves" : "refuses";
}
