import type { Manifest } from "../build-manifests.ts";
import { type Json, text } from "../json.ts";
import { cloudNativePgCheck } from "./cloudnative-pg.ts";
import { kubernetesCheck } from "./kubernetes.ts";
import type { Check } from "./schema.ts";
import { unknownFields } from "./unknown-fields.ts";

const checks = new Map<string, Promise<Check>>();

/**
 * Returns a line for each value of the manifests that no cluster would accept, and for each field that it would drop,
 * by the schemas that are installed in a folder.
 */
export async function findInvalid(installed: string, manifests: readonly Manifest[]): Promise<string[]> {
  const objects = manifests as unknown as readonly Json[];
  return (await Promise.all(objects.map((manifest) => linesOf(installed, manifest)))).flat();
}

async function linesOf(installed: string, manifest: Json): Promise<string[]> {
  const check = await checkOf(installed, text(manifest, "apiVersion"), text(manifest, "kind"));
  const found = check(manifest);
  const violations = found.length > 0 ? found : unknownFields(check, manifest);
  const name = `${text(manifest, "kind")} ${text(manifest, "metadata.name")}`;
  return violations.map(({ path, reason }) => `${name}: ${path} ${reason}`);
}

/** Returns the check of a kind; each schema is loaded once. */
function checkOf(installed: string, apiVersion: string, kind: string): Promise<Check> {
  const key = `${installed} ${apiVersion} ${kind}`;
  const known = checks.get(key) ?? loadCheck(installed, apiVersion, kind);
  checks.set(key, known);
  return known;
}

async function loadCheck(installed: string, apiVersion: string, kind: string): Promise<Check> {
  return apiVersion === "postgresql.cnpg.io/v1"
    ? cloudNativePgCheck(installed, kind)
    : kubernetesCheck(installed, apiVersion, kind);
}
