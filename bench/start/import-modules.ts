import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { FOLDERS, type ProgramName } from "../harness/bundle-programs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of the peers, inside the project so that Node finds its modules. */
const WRITTEN = `${ROOT}.cache/imports/`;

/** Writes, for each program, one that imports the same modules of Node and of others. Returns its file. */
export async function writeImports(): Promise<(program: string) => string> {
  mkdirSync(WRITTEN, { recursive: true });
  for (const [name, folder] of Object.entries(FOLDERS)) {
    const imports = (await modulesOf(folder)).map((module) => `import ${JSON.stringify(module)};`);
    writeFileSync(`${WRITTEN}${name}.mjs`, [...imports, 'process.stdout.write("imported\\n");', ""].join("\n"));
  }
  return (program) => `${WRITTEN}${program as ProgramName}.mjs`;
}

/** Returns the names under which the program's sources import modules of Node and of others. */
async function modulesOf(folder: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`${folder}/src/main.ts`],
    bundle: true,
    write: false,
    outdir: WRITTEN,
    platform: "node",
    format: "esm",
    metafile: true,
    logLevel: "error",
  });
  const own = Object.entries(metafile.inputs).filter(([path]) => !path.includes("node_modules/"));
  const imports = own.flatMap(([, { imports: all }]) => all.filter(({ kind }) => kind === "import-statement"));
  const others = imports.filter(({ path, external }) => external === true || path.includes("node_modules/"));
  return [...new Set(others.map(({ path, original }) => original ?? path))].sort();
}

/** Returns the milliseconds from the start of Node until it has imported the modules. */
export async function importModules(file: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [file], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  const exited = once(child, "exit");
  const failed = exited.then(() => Promise.reject(new Error(`${file} has exited before it had imported its modules`)));
  await Promise.race([once(child.stdout, "data"), failed]);
  const ms = performance.now() - began;
  child.kill();
  await exited;
  return ms;
}
