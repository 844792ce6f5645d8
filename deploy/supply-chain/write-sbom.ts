/**
 * `npm run sbom`: writes what the lock file installs as CycloneDX JSON to `reports/sbom.cdx.json`, or to a given file.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createSbom } from "./create-sbom.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const file = resolve(ROOT, process.argv[2] ?? "reports/sbom.cdx.json");
const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
const output = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, createSbom(output));
process.stdout.write(file + "\n");
