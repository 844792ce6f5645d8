import { readFileSync } from "node:fs";
import { type Kubectl, startControlPlane } from "../runbooks/cluster/control-plane.ts";
import { readKubectl } from "../runbooks/cluster/read-kubectl.ts";
import { ROOT, runOperator, runProcess } from "../runbooks/cluster/run-process.ts";
import type { ServiceName, System } from "../system/start-system.ts";

/** Returns the commands of docs/runbooks/restore.md, each a block of the page, in its order. */
function runbookCommands() {
  const page = readFileSync(ROOT + "docs/runbooks/restore.md", "utf8");
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text.trim());
  const [look, showInstallation, acceptInstallation, rewind, listUnknown, endUnknown] = blocks;
  if (endUnknown === undefined || blocks.length !== 6)
    throw new Error(`the runbook has ${blocks.length} blocks, not 6`);
  return { look, showInstallation, acceptInstallation, rewind, listUnknown, endUnknown } as Record<
    RunbookCommand,
    string
  >;
}

export type RunbookCommand =
  | "look"
  | "showInstallation"
  | "acceptInstallation"
  | "rewind"
  | "listUnknown"
  | "endUnknown";

/** Runs a command of the page as an operator would, on the service's pods. @throws Error if the exit code is not 0 */
export async function runRunbook(
  system: System,
  service: ServiceName,
  command: RunbookCommand,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const environment = system.environments[service];
  const kubectl: Kubectl = async (args) => {
    const {
      verb,
      command: [program, script, ...others],
    } = readKubectl(args);
    if (verb !== "exec" || program !== "node" || script !== "operator.mjs")
      throw new Error(`unknown: ${args.join(" ")}`);
    return await runOperator(service, others, environment);
  };
  await using resources = new AsyncDisposableStack();
  const plane = await startControlPlane(kubectl);
  resources.defer(() => plane.stop());
  const { operatorUrl: OPERATOR_URL } = system.services[service][0];
  const env = { ...plane.env, SERVICE: service, OPERATOR_URL, ...variables };
  const { code, stdout, stderr } = await runProcess("sh", ["-c", runbookCommands()[command]], env);
  if (code !== 0) throw new Error(`exit code ${code} of ${command}: ${stdout}${stderr}`);
  return stdout;
}
