import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
}

const MISSING =
  "kustomize 4 or later is needed: as kubectl 1.22 or later, or as the program `kustomize`, which Debian 13 has as a " +
  "package. .ci/run unpacks it without root; see deploy/README.md";

/** Builds a folder with kustomize. Throws with its message or warning, or with how to install it if it is missing. */
export function buildManifests(folder: string): Manifest[] {
  const [program = "", ...args] = kustomize();
  const { error, status, stdout, stderr } = spawnSync(program, [...args, folder], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (error !== undefined) throw error;
  // A deprecated field is a warning.
  if (status !== 0 || stderr !== "") throw new Error(`${program} refuses ${folder}:\n${stderr}`);
  return parseAllDocuments(stdout).map((document) => withoutLineBreaks(document.toJS() as Manifest));
}

let found: readonly string[] | undefined;

function kustomize(): readonly string[] {
  found ??= [
    ["kustomize", "build"],
    ["kubectl", "kustomize"],
  ].find(([program = ""]) => !isTooOld(program));
  if (found === undefined) throw new Error(MISSING);
  return found;
}

/** Returns whether a program is missing, or has a kustomize that does not support components. */
function isTooOld(program: string): boolean {
  const args = program === "kubectl" ? ["version", "--client"] : ["version"];
  const { error, stdout } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 });
  if (error !== undefined) return true;
  return program === "kubectl" && !/^Kustomize Version: v([4-9]|\d\d)/m.test(stdout);
}

/** kustomize breaks the lines of long values in base64, which Kubernetes ignores and a JSON Schema does not. */
function withoutLineBreaks<Kind extends Manifest>(manifest: Kind): Kind {
  if (manifest.kind !== "Secret") return manifest;
  const { data = {} } = manifest as Kind & { readonly data?: Readonly<Record<string, string>> };
  const whole = Object.entries(data).map(([key, value]) => [key, value.replaceAll("\n", "")] as const);
  return { ...manifest, data: Object.fromEntries(whole) };
}
