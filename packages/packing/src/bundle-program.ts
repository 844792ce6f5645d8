/**
 * Bundles a program of this repository: `node packages/packing/src/bundle-program.ts <its folder> <folder to create>`.
 */
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { billOfMaterials } from "./bill-of-materials.ts";

/**
 * Writes a program, such as `services/workspace`, into the folder `target`: each of its commands in one file with all
 * that it imports, the files that it reads, and `sbom.cdx.json`, which lists the packages in it. `target` is replaced.
 *
 * Node spent about 0.4 ms on each of 950 modules. Names are kept, for stack traces. Without its white space a bundle
 * took 5 to 9 MB less: the comments that remain otherwise contain letters that double the size of the whole text in
 * memory.
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
    plugins: [splitApart(APART), resolvePlaces(ROOT), requireHttp()],
    metafile: true,
    logLevel: "warning",
  });
  const files = Object.keys(metafile.inputs);
  writeFileSync(join(target, "sbom.cdx.json"), billOfMaterials(ROOT, program, files));
  const packages = new Set(files.map((file) => file.split("/src/")[0] ?? file));
  for (const asset of [...packages].flatMap((folder) => ASSETS.map((name) => join(folder, name)))) {
    if (!asset.includes("node_modules") && existsSync(join(ROOT, asset))) {
      cpSync(join(ROOT, asset), join(target, asset), { recursive: true });
    }
  }
}

/** Returns the sources of its commands, by the name of the file that each becomes. */
function commandsOf(program: string): Record<string, string> {
  const main = `${program}/src/main.ts`;
  const apart = Object.fromEntries(APART.map((source) => [basename(source, ".ts"), source]));
  if (!program.startsWith("services/")) return { main, ...apart };
  return { main, ...apart, operator: `${program}/src/operator.ts` };
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Files that sources read beside their code, in the folder of their package. */
const ASSETS = ["migrations", "openapi.json", "openapi.yaml", "scalar"];

/** Modules that a program loads only if it is asked to. */
const APART = ["packages/runtime/src/telemetry/otlp-tracing.ts"];

/** Dependencies that are CommonJS require modules of Node. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Leaves what a program imports only where a setting asks for it out of its bundle, in a file beside it: the SDK of
 * OpenTelemetry is a tenth of a program, which would read it at each start. `sources` are the entry points of
 * those files.
 */
function splitApart(sources: readonly string[]): Plugin {
  return {
    name: "keep-apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
        const isApart = kind === "dynamic-import" && sources.some((source) => basename(source) === basename(path));
        return isApart ? { path: `./${basename(path, ".ts")}.mjs`, external: true } : undefined;
      }),
  };
}

/**
 * Lets sources find files beside them, such as migrations, as though they still were where they are below `root`, seen
 * from the folder of the bundle: `import.meta` is the bundle's own there.
 */
function resolvePlaces(root: string): Plugin {
  return {
    name: "keep-places",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = relative(root, path);
        const contents = (await readFile(path, "utf8"))
          .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`)
          .replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
        return { contents, loader: "ts" };
      }),
  };
}

/**
 * Requires `node:http` instead of importing it. An import reads every export of it, and so makes Node load its own
 * fetch and WebSocket, which no program uses: 40 ms of the start of the gateway.
 */
function requireHttp(): Plugin {
  return {
    name: "require-http",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "node:http", namespace: "require-http" }));
      onLoad({ filter: /^/, namespace: "require-http" }, () => ({
        contents: 'module.exports = process.getBuiltinModule("node:http");',
      }));
    },
  };
}

if (import.meta.main) {
  const [program, target, ...more] = process.argv.slice(2);
  if (program === undefined || target === undefined || more.length > 0) {
    process.stderr.write("node packages/packing/src/bundle-program.ts <folder of the program> <folder to create>\n");
    process.exitCode = 2;
  } else {
    await bundleProgram(program, target);
  }
}
