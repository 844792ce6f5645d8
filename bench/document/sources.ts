import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const packages = (...names: string[]) => names.map((name) => `packages/${name}/src/**/*.ts`);

const RPC = packages("access", "rpc", "runtime");
const PROGRAMS = [
  "gateway/src/**/*.ts",
  "services/*/src/**/*.ts",
  "services/*/migrations/*",
  "deploy/docker/Dockerfile",
  "proto/*/**/*.proto",
  ...packages("access", "events", "postgres", "rpc", "runtime", "service", "transcoder"),
];

/** The sources whose cost a part measures; the sources of all programs for other parts. */
const MEASURED: Readonly<Record<string, readonly string[]>> = {
  gateway: ["gateway/src/**/*.ts", "proto/*/**/*.proto", ...RPC, ...packages("transcoder")],
  rpc: RPC,
};

/** Returns a digest of the sources that a part measures, and of its own. Figures of another digest are older. */
export function digestOf(part: string): string {
  const patterns = [...(MEASURED[part] ?? PROGRAMS), `bench/${part}/**/*.ts`, "bench/harness/*.ts"];
  const paths = globSync(patterns, { cwd: ROOT }).filter((path) => !path.endsWith(".test.ts"));
  const hash = createHash("sha256");
  for (const path of paths.sort()) hash.update(path).update(readFileSync(ROOT + path));
  return hash.digest("hex").slice(0, 16);
}
