import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

// Copies the one file of @scalar/api-reference into gateway/scalar, compressed and named after its contents, beside its
// licence: programs serve it without a dependency on its packages. With --check only compares the copy.
const packages = new URL("../../node_modules/@scalar/", import.meta.url);
const target = new URL("../scalar/", import.meta.url);

const script = readFileSync(new URL("api-reference/dist/browser/standalone.js", packages), "utf8").replace(
  /\n\/\/# sourceMappingURL=.*\s*$/,
  "\n",
);
// The package has no copy of the licence of its repository; those beside it have.
const licence = readFileSync(new URL("api-client/LICENSE", packages), "utf8");
const hash = createHash("sha256").update(script).digest("hex").slice(0, 16);
const name = `scalar.${hash}.js.gz`;

if (!process.argv.includes("--check")) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  writeFileSync(new URL(name, target), gzipSync(script, { level: 9 }));
  writeFileSync(new URL("scalar.LICENSE", target), licence);
} else if (!isCurrent()) {
  process.stderr.write("gateway/scalar is not what @scalar/api-reference contains: run npm run generate\n");
  process.exitCode = 1;
}

function isCurrent(): boolean {
  const files = readdirSync(target).sort();
  return (
    files.join() === ["scalar.LICENSE", name].sort().join() &&
    gunzipSync(readFileSync(new URL(name, target))).toString() === script &&
    readFileSync(new URL("scalar.LICENSE", target), "utf8") === licence
  );
}
