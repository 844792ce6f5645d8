import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

// `npm pack` runs this first: it compiles the sources into dist, adds the proto files that rules are written with, and
// replaces package.json by one that names the compiled files. postpack.ts puts the source's back: within this repository the package is used from its sources.
const folder = new URL("../", import.meta.url);
const manifest = new URL("package.json", folder);

rmSync(new URL("dist", folder), { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: folder, stdio: "inherit" });
nameCompiledFiles(new URL("dist/", folder));
cpSync(new URL("../../proto/vendor/google/api", folder), new URL("proto/google/api", folder), { recursive: true });

const {
  private: _private,
  scripts: _scripts,
  devDependencies: _dev,
  exports,
  ...kept
} = JSON.parse(readFileSync(manifest, "utf8")) as {
  readonly exports: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
};
renameSync(manifest, new URL("package.source.json", folder));
writeFileSync(manifest, `${JSON.stringify({ ...kept, exports: compiledExports(exports) }, null, 2)}\n`);

/** The compiler leaves the names of sources in declarations. */
function nameCompiledFiles(target: URL): void {
  const files = readdirSync(target, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
  for (const name of files) {
    const file = new URL(name, target);
    writeFileSync(file, readFileSync(file, "utf8").replace(/(?<="\.{1,2}\/[^"\n]*)\.ts(?=")/g, ".js"));
  }
}

function compiledExports(sources: Readonly<Record<string, string>>) {
  const published = Object.entries(sources).filter(([, file]) => file.startsWith("./src/"));
  return Object.fromEntries(
    published.map(([name, file]) => {
      const compiled = file.replace("./src/", "./dist/").replace(/\.ts$/, "");
      return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
    }),
  );
}
