import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ServiceName, System } from "../system/start-system.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Returns the commands of docs/runbooks/restore.md, each a block of the page, in its order. */
function runbookCommands() {
  const page = readFileSync(ROOT + "docs/runbooks/restore.md", "utf8");
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text.trim());
  const [look, showInstallation, acceptInstallation, listUnknown, endUnknown] = blocks;
  if (endUnknown === undefined || blocks.length !== 5)
    throw new Error(`the runbook has ${blocks.length} blocks, not 5`);
  return { look, showInstallation, acceptInstallation, listUnknown, endUnknown } as Record<RunbookCommand, string>;
}

export type RunbookCommand = "look" | "showInstallation" | "acceptInstallation" | "listUnknown" | "endUnknown";

/** Runs a command of the page as an operator would in a pod of the service. @throws Error if the exit code is not 0 */
export async function runRunbook(
  system: System,
  service: ServiceName,
  command: RunbookCommand,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = {
    ...system.environments[service],
    PATH: dirname(process.execPath) + delimiter + process.env["PATH"],
    SERVICE: service,
    OPERATOR_URL: system.services[service][0].operatorUrl,
    ...variables,
  };
  return (await promisify(execFile)("sh", ["-c", runbookCommands()[command]], { cwd: ROOT, env })).stdout;
}
