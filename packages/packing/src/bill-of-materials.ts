import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A component of CycloneDX: an installed package with a file in the bundle. */
interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes: readonly object[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * Returns what a bundle contains, as CycloneDX 1.6: not what is installed beside it, and the same for the same sources.
 * `files` are its inputs, relative to `root`; the digests come from the lock file.
 */
export function billOfMaterials(root: string, program: string, files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const { packages } = readJson<{ packages: Readonly<Record<string, { integrity?: string }>> }>(
    root,
    "package-lock.json",
  );
  const components = [...folders].sort().map((folder) => componentOf(root, folder, packages[folder]?.integrity));
  const { name, version, license } = readJson<Manifest>(root, `${program}/package.json`);
  const component = {
    type: "application",
    "bom-ref": purlOf(name, version),
    name,
    version,
    licenses: licensesOf(license),
  };
  const bill = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component }, components };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function componentOf(root: string, folder: string, integrity: string | undefined): Component {
  const { name, version, license } = readJson<Manifest>(root, `${folder}/package.json`);
  const purl = purlOf(name, version);
  const [algorithm, digest = ""] = integrity?.split("-") ?? [];
  if (algorithm !== "sha512") throw new Error(`the lock file has no sha512 of ${folder}`);
  const content = Buffer.from(digest, "base64").toString("hex");
  const hashes = [{ alg: "SHA-512", content }];
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: licensesOf(license), hashes };
}

const licensesOf = (license = "") => (license === "" ? [] : [{ license: { id: license } }]);

/** An `@` of a scope is percent-encoded. */
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

const readJson = <Value>(root: string, file: string) => JSON.parse(readFileSync(join(root, file), "utf8")) as Value;
