import { accessSync, constants } from "node:fs";
import * as z from "zod";
import { ConfigError } from "./settings.ts";

/** The path of a file that can be read at the start; undefined if the variable is absent. */
export const filePath = () => z.string().superRefine(checkReadable).optional();

function checkReadable(path: string, context: z.RefinementCtx): void {
  const problem = findUnreadable(path);
  if (problem !== undefined) context.addIssue(problem);
}

/** Returns why a file cannot be read; undefined if it can. */
export function findUnreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** The environment variables with which a service's RPC port speaks TLS. `docs/settings.md` describes them. */
export const serverTlsSettings = () => ({
  TLS_CERT_FILE: filePath().describe(
    "the service's certificate, as PEM. Its RPC port then speaks TLS only, from version 1.2 on, with `h2` and `http/1.1` (ALPN)",
  ),
  TLS_KEY_FILE: filePath().describe("the key of that certificate, as PEM"),
  TLS_CLIENT_CA_FILE: filePath().describe(
    "demands a client certificate that one of these authorities has signed (mutual TLS)",
  ),
});

/** The environment variables with which a program verifies its peers, and proves its identity to them. */
export const peerTlsSettings = () => ({
  PEER_CA_FILE: filePath().describe(
    "the authorities that sign the certificates of its peers; without it Node's own, which `NODE_EXTRA_CA_CERTS` extends",
  ),
  PEER_CERT_FILE: filePath().describe("the certificate that the program shows to its peers"),
  PEER_KEY_FILE: filePath().describe("the key of that certificate"),
});

/** Paths of PEM files. */
export interface TlsPaths {
  /** The authorities that sign the certificates of the other side. */
  readonly caFile?: string;
  /** The own certificate, and its key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

type Settings<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

/** Converts the variables; undefined without TLS. @throws ConfigError if one lacks another */
export function serverTlsPaths(
  settings: Settings<"TLS_CERT_FILE" | "TLS_KEY_FILE" | "TLS_CLIENT_CA_FILE">,
): TlsPaths | undefined {
  const { TLS_CLIENT_CA_FILE: caFile, TLS_CERT_FILE, TLS_KEY_FILE } = settings;
  const problems = incomplete({ TLS_CERT_FILE, TLS_KEY_FILE });
  if (caFile !== undefined && (TLS_CERT_FILE ?? TLS_KEY_FILE) === undefined) {
    problems.push("TLS_CERT_FILE: is required with TLS_CLIENT_CA_FILE");
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return withoutAbsent({ caFile, certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE });
}

/** Converts the variables; undefined if all are absent. @throws ConfigError if one lacks another */
export function peerTlsPaths(
  settings: Settings<"PEER_CA_FILE" | "PEER_CERT_FILE" | "PEER_KEY_FILE">,
): TlsPaths | undefined {
  const { PEER_CA_FILE: caFile, PEER_CERT_FILE, PEER_KEY_FILE } = settings;
  const problems = incomplete({ PEER_CERT_FILE, PEER_KEY_FILE });
  if (problems.length > 0) throw new ConfigError(problems);
  return withoutAbsent({ caFile, certFile: PEER_CERT_FILE, keyFile: PEER_KEY_FILE });
}

/** Returns the problem if only one of two variables is set. */
export function incomplete(pair: Readonly<Record<string, string | undefined>>): string[] {
  const names = Object.keys(pair);
  const missing = names.filter((name) => pair[name] === undefined);
  if (missing.length !== 1) return [];
  return [`${missing[0]}: is required with ${names.find((name) => name !== missing[0])}`];
}

/** Returns the values that are present; undefined if none is. */
export function withoutAbsent<Name extends string>(
  values: Readonly<Record<Name, string | undefined>>,
): { readonly [name in Name]?: string } | undefined {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as { readonly [name in Name]?: string });
}
