import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes a tarball of `npm pack` one of compiled files: `node npm-package.ts compile` before it, in the folder of the
 * package, replaces package.json by one that names them; `node npm-package.ts restore` puts the source's back.
 */
function main(step: string | undefined): void {
  if (step === "compile") compile();
  else if (step === "restore") restore();
  else throw new TypeError("node npm-package.ts compile|restore");
}

function compile(): void {
  const { compilerOptions } = JSON.parse(readFileSync("tsconfig.build.json", "utf8")) as {
    readonly compilerOptions: Folders;
  };
  if (existsSync("package.source.json")) restore(); // left by a pack that was killed
  rmSync(compilerOptions.outDir, { recursive: true, force: true });
  execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
  nameCompiledFiles(compilerOptions.outDir);
  const source = JSON.parse(readFileSync("package.json", "utf8")) as SourceManifest;
  renameSync("package.json", "package.source.json");
  writeFileSync("package.json", `${JSON.stringify(publishedManifest(source, compilerOptions), null, 2)}\n`);
}

const restore = () => renameSync("package.source.json", "package.json");

/** Names compiled files in the declarations of a folder: the compiler leaves the names of sources there. */
function nameCompiledFiles(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  for (const name of names) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replace(/(?<="\.{1,2}\/[^"\n]*)\.ts(?=")/g, ".js"));
  }
}

/** A package.json of this repository, as far as packing reads it. */
interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** The folders that the compiler reads and writes, relative to the package. */
export interface Folders {
  readonly rootDir: string;
  readonly outDir: string;
}

/** Returns the manifest of the tarball: with compiled files, without scripts and what only the sources need. */
export function publishedManifest(source: SourceManifest, folders: Folders) {
  const { private: _private, scripts: _scripts, devDependencies: _dev, exports, ...kept } = source;
  return { ...kept, exports: compiledExports(exports, folders) };
}

/** Leaves out what is not compiled, such as what only tests of this repository import. */
function compiledExports(sources: Readonly<Record<string, string>>, { rootDir, outDir }: Folders) {
  const published = Object.entries(sources).filter(([, file]) => file.startsWith(`./${rootDir}/`));
  return Object.fromEntries(
    published.map(([name, file]) => {
      const compiled = `./${outDir}/${file.slice(`./${rootDir}/`.length).replace(/\.ts$/, "")}`;
      return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
}

if (import.meta.main) main(process.argv[2]);
