import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { nameCompiledFiles } from "./name-compiled-files.ts";
import { publishedManifest, type SourceManifest } from "./published-manifest.ts";

// `npm pack` runs this first, in the folder of the package: it compiles the sources, and replaces package.json by one that
// names the compiled files. postpack.ts puts the source's back.
const { compilerOptions } = JSON.parse(readFileSync("tsconfig.build.json", "utf8")) as {
  readonly compilerOptions: { readonly rootDir: string; readonly outDir: string };
};
// Left by a pack that was killed.
if (existsSync("package.source.json")) renameSync("package.source.json", "package.json");
rmSync(compilerOptions.outDir, { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
nameCompiledFiles(compilerOptions.outDir);

const source = JSON.parse(readFileSync("package.json", "utf8")) as SourceManifest;
renameSync("package.json", "package.source.json");
writeFileSync("package.json", `${JSON.stringify(publishedManifest(source, compilerOptions), null, 2)}\n`);
