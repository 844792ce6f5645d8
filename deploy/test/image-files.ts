import type { Program } from "./programs.ts";

const EXPECTED = /\.(mjs(\.map)?|sql)$|^sbom\.cdx\.json$/;
const OF_GATEWAY = /^gateway\/(openapi\.(json|yaml)|scalar\/scalar\.[\w.]+)$/;

/** Returns the files and folders of an image's /app that are neither code, nor migrations, nor the gateway's pages. */
export function unusualFiles({ folder }: Program, files: readonly string[]): string[] {
  return files.filter((file) => !EXPECTED.test(file) && !(folder === "gateway" && OF_GATEWAY.test(file))).sort();
}

/** The folders that /app has. */
export function expectedFolders({ folder }: Program): string[] {
  if (folder === "gateway") return ["gateway", "gateway/scalar"];
  const own = ["packages", "packages/events", "packages/events/migrations", "packages/service"];
  return [...own, "packages/service/migrations", "services", folder, `${folder}/migrations`].sort();
}
