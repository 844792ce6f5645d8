import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TlsPaths } from "@cloud/runtime/settings";
import { testFolder } from "@cloud/testkit";
import type { Authority } from "@cloud/testkit/faults";

interface Owner {
  /** Signs the certificate. */
  readonly issuer: Authority;
  /** The name by which the owner is reached; `localhost` if absent. */
  readonly host?: string;
  /** The authority of the other side. */
  readonly trusts?: Authority;
}

/** Writes a certificate, its key and an authority to a folder, as cert-manager does. */
export function writeTlsFolder(owner: Owner): Required<TlsPaths> {
  const folder = testFolder();
  const paths = { caFile: join(folder, "ca.crt"), certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  replaceTlsFiles(paths, owner);
  return paths;
}

/** Replaces all three in place. */
export function replaceTlsFiles(paths: Required<TlsPaths>, { issuer, host, trusts = issuer }: Owner): void {
  const { certificate, key } = issuer.issue("test", host);
  writeFileSync(paths.caFile, trusts.certificate);
  writeFileSync(paths.certFile, certificate);
  writeFileSync(paths.keyFile, key, { mode: 0o600 });
}
