import { fileURLToPath } from "node:url";
import { bundleProgram } from "@cloud/packing";

export const FOLDERS = {
  identity: "services/identity",
  environment: "services/environment",
  workspace: "services/workspace",
  gateway: "gateway",
} as const;

export type ProgramName = keyof typeof FOLDERS;

/** The folder of the bundles, below .cache, so that Node finds the code that it compiled in an earlier run. */
const BUNDLED = fileURLToPath(new URL("../../.cache/bundled/", import.meta.url));

/** Bundles the programs as for their images. Returns the file that Node runs for each. */
export async function bundlePrograms(): Promise<(program: ProgramName) => string> {
  await Promise.all(Object.values(FOLDERS).map((folder) => bundleProgram(folder, BUNDLED + folder)));
  return (program) => `${BUNDLED}${FOLDERS[program]}/main.mjs`;
}
