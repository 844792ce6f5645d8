import { cpSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { keepPlaces } from "./keep-places.ts";
import { requireHttp } from "./require-http.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** What sources read beside their code, in the folder of their package. */
const ASSETS = ["migrations", "openapi.json", "openapi.yaml", "scalar"];

/** Dependencies that are CommonJS require modules of Node. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Writes a program, such as `services/workspace`, into the folder `target`: each of its commands in one file with all
 * that it imports, and the files that it reads. `target` is replaced.
 *
 * Node spent about 0.4 ms on each of 950 modules. Names are kept, for stack traces. Without its white space a bundle took
 * 5 to 9 MB less: the comments that remain otherwise contain letters that double the size of the whole text in memory.
 */
export async function bundleProgram(program: string, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: commandsOf(program),
    outdir: target,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    minifyWhitespace: true,
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    banner: { js: REQUIRE },
    plugins: [keepPlaces(ROOT), requireHttp()],
    metafile: true,
    logLevel: "warning",
  });
  const packages = new Set(Object.keys(metafile.inputs).map((file) => dirname(dirname(file))));
  for (const asset of [...packages].flatMap((folder) => ASSETS.map((name) => join(folder, name)))) {
    if (!asset.includes("node_modules") && existsSync(join(ROOT, asset))) {
      cpSync(join(ROOT, asset), join(target, asset), { recursive: true });
    }
  }
}

/** Returns the sources of its commands, by the name of the file that each becomes. */
function commandsOf(program: string): Record<string, string> {
  const main = `${program}/src/main.ts`;
  if (!program.startsWith("services/")) return { main };
  return { main, operator: `${program}/src/operator.ts`, "replay-parked": "packages/messaging/src/replay-parked.ts" };
}
