import { ConfigError, filePath, incomplete, natsServers, withoutAbsent } from "@cloud/runtime/settings";
import * as z from "zod";
import { type NatsAccess, parseAccess } from "./nats-access.ts";

/** The environment variables with which a program reaches NATS. `docs/settings.md` describes them. */
export const natsSettings = () => ({
  NATS_URL: natsServers().describe(
    "servers of NATS; tls:// demands TLS. A login in it must be the same for each server",
  ),
  NATS_USER: z.string().optional().describe("the user, with a password"),
  NATS_PASSWORD: z.string().optional().describe("the password of NATS_USER"),
  NATS_PASSWORD_FILE: filePath().describe("a file with the password, in place of it"),
  NATS_TOKEN: z.string().optional().describe("a token, as login"),
  NATS_TOKEN_FILE: filePath().describe("a file with the token, in place of it"),
  NATS_CREDS_FILE: filePath().describe("a file with a JWT and its seed, as login: what `nsc generate creds` writes"),
  NATS_NKEY_FILE: filePath().describe("a file with the seed of an nkey (`SU…`), as login"),
  NATS_CA_FILE: filePath().describe(
    "the authorities that sign the servers' certificates, as PEM; without it the system's. Demands TLS",
  ),
  NATS_CERT_FILE: filePath().describe("the client's certificate, as PEM, for a server that demands one. Demands TLS"),
  NATS_KEY_FILE: filePath().describe("the key of that certificate, as PEM"),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof natsSettings>>>>;

/** Converts the variables. @throws ConfigError unless they are at most one login, and complete */
export function natsAccess(settings: Settings): NatsAccess {
  const { NATS_CA_FILE: caFile, NATS_CERT_FILE, NATS_KEY_FILE } = settings;
  const tlsProblems = incomplete({ NATS_CERT_FILE, NATS_KEY_FILE });
  const problems = [...urlProblems(settings), ...loginProblems(settings), ...tlsProblems];
  if (problems.length > 0) throw new ConfigError(problems);
  const { NATS_URL: url, NATS_USER: user } = settings;
  const { NATS_PASSWORD: password, NATS_PASSWORD_FILE: passwordFile } = settings;
  const { NATS_TOKEN: token, NATS_TOKEN_FILE: tokenFile } = settings;
  const { NATS_CREDS_FILE: credsFile, NATS_NKEY_FILE: nkeyFile } = settings;
  const login = withoutAbsent({ user, password, passwordFile, token, tokenFile, credsFile, nkeyFile });
  const tls = withoutAbsent({ caFile, certFile: NATS_CERT_FILE, keyFile: NATS_KEY_FILE });
  return { url, ...(login && { login }), ...(tls && { tls }) };
}

function urlProblems({ NATS_URL }: Settings): string[] {
  try {
    parseAccess({ url: NATS_URL });
    return [];
  } catch (error) {
    // A malformed percent-encoding is a URIError. Neither message contains a part of the URL.
    return [`NATS_URL: ${error instanceof URIError ? "the login is not percent-encoded" : (error as Error).message}`];
  }
}

/** Each of these variables is a login, a password together with its user. */
const LOGINS = [
  "NATS_PASSWORD",
  "NATS_PASSWORD_FILE",
  "NATS_TOKEN",
  "NATS_TOKEN_FILE",
  "NATS_CREDS_FILE",
  "NATS_NKEY_FILE",
] as const;

function loginProblems(settings: Settings): string[] {
  const given: string[] = LOGINS.filter((name) => settings[name] !== undefined);
  if (/\/\/[^/]*@/.test(settings.NATS_URL)) given.unshift("NATS_URL");
  const hasPassword = (settings.NATS_PASSWORD ?? settings.NATS_PASSWORD_FILE) !== undefined;
  if (given.length > 1) return [`${given.at(-1)}: only one login can be set, but there are ${given.join(", ")}`];
  if (hasPassword === (settings.NATS_USER !== undefined)) return [];
  return [
    `NATS_USER: ${hasPassword ? "is required, since there is a password" : "needs NATS_PASSWORD or NATS_PASSWORD_FILE"}`,
  ];
}
