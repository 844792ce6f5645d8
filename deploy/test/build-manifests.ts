import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
}

const MISSING =
  "neither kubectl nor kustomize is on the PATH. Without root, on Debian: " +
  "`apt-get download kubernetes-client && dpkg-deb -x kubernetes-client_*.deb kubectl`, " +
  'then put "$PWD/kubectl/usr/bin" on the PATH (see deploy/README.md)';

/** Builds a folder with kustomize. Throws with its message, or with how to install it if it is missing. */
export function buildManifests(folder: string): Manifest[] {
  const attempts = [
    ["kubectl", "kustomize", folder],
    ["kustomize", "build", folder],
  ];
  for (const [program = "", ...args] of attempts) {
    const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
    if (error !== undefined && "code" in error && error.code === "ENOENT") continue;
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`${program} refuses ${folder}:\n${stderr}`);
    return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  }
  throw new Error(MISSING);
}
