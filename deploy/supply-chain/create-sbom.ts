import { createHash } from "node:crypto";

/** A CycloneDX document as `npm sbom` writes it, as far as it is changed here. */
interface Sbom {
  readonly serialNumber?: string;
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: { readonly name: string; readonly "bom-ref": string };
  };
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * Makes the output of `npm sbom` the same for the same lock file: without the time, with a serial number derived from
 * the contents, the name of the package instead of its folder's, and in a fixed order.
 */
export function createSbom(output: string): string {
  const { serialNumber: _serial, metadata, components, dependencies, ...rest } = JSON.parse(output) as Sbom;
  const { timestamp: _time, component, ...about } = metadata;
  const name = component["bom-ref"].replace(/@[^@]*$/, "");
  const sbom = {
    ...rest,
    metadata: { ...about, component: { ...component, name } },
    components: components.toSorted((a, b) => compare(a["bom-ref"], b["bom-ref"])),
    dependencies: dependencies
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.toSorted(compare) }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  };
  const digest = createHash("sha256").update(JSON.stringify(sbom)).digest("hex");
  const serialNumber = "urn:uuid:" + digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
  return JSON.stringify({ ...sbom, serialNumber }, null, 2) + "\n";
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
