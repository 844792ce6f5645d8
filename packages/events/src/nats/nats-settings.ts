import { ConfigError, filePath, natsServers } from "@cloud/runtime/settings";
import * as z from "zod";
import { type NatsAccess, type NatsLogin, type NatsTls, parseAccess, type Secret } from "./nats-access.ts";

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
type Variable = keyof Settings;

/** Converts the variables. @throws ConfigError unless they are at most one login, and complete */
export function natsAccess(settings: Settings): NatsAccess {
  const problems = [...urlProblems(settings), ...twice(settings), ...incomplete(settings)];
  if (problems.length > 0) throw new ConfigError(problems);
  const login = loginOf(settings);
  const tls = tlsOf(settings);
  return { url: settings.NATS_URL, ...(login && { login }), ...(tls && { tls }) };
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

const ALTERNATIVES: readonly (readonly [Variable, Variable])[] = [
  ["NATS_PASSWORD", "NATS_PASSWORD_FILE"],
  ["NATS_TOKEN", "NATS_TOKEN_FILE"],
];

const LOGINS: readonly (readonly Variable[])[] = [
  ["NATS_USER", "NATS_PASSWORD", "NATS_PASSWORD_FILE"],
  ["NATS_TOKEN", "NATS_TOKEN_FILE"],
  ["NATS_CREDS_FILE"],
  ["NATS_NKEY_FILE"],
];

function twice(settings: Settings): string[] {
  const both = ALTERNATIVES.filter((pair) => pair.every((name) => settings[name] !== undefined));
  const given = LOGINS.map((names) => names.find((name) => settings[name] !== undefined)).filter(isPresent);
  if (/\/\/[^/]*@/.test(settings.NATS_URL)) given.unshift("NATS_URL");
  return [
    ...both.map(([value, file]) => `${file}: cannot be set together with ${value}`),
    ...(given.length > 1 ? [`${given.at(-1)}: only one login can be set, but there are ${given.join(", ")}`] : []),
  ];
}

function incomplete(settings: Settings): string[] {
  const { NATS_USER, NATS_PASSWORD, NATS_PASSWORD_FILE, NATS_CERT_FILE, NATS_KEY_FILE } = settings;
  const password = NATS_PASSWORD ?? NATS_PASSWORD_FILE;
  return [
    NATS_USER !== undefined && password === undefined && "NATS_USER: needs NATS_PASSWORD or NATS_PASSWORD_FILE",
    NATS_USER === undefined && password !== undefined && "NATS_USER: is required, since there is a password",
    NATS_CERT_FILE !== undefined && NATS_KEY_FILE === undefined && "NATS_KEY_FILE: is required with NATS_CERT_FILE",
    NATS_CERT_FILE === undefined && NATS_KEY_FILE !== undefined && "NATS_CERT_FILE: is required with NATS_KEY_FILE",
  ].filter((problem) => problem !== false);
}

function loginOf(settings: Settings): NatsLogin | undefined {
  const { NATS_USER: user, NATS_CREDS_FILE: creds, NATS_NKEY_FILE: nkey } = settings;
  const password = secretOf(settings.NATS_PASSWORD, settings.NATS_PASSWORD_FILE);
  const token = secretOf(settings.NATS_TOKEN, settings.NATS_TOKEN_FILE);
  if (user !== undefined && password !== undefined) return { kind: "user", user, password };
  if (token !== undefined) return { kind: "token", token };
  if (creds !== undefined) return { kind: "creds", file: creds };
  return nkey === undefined ? undefined : { kind: "nkey", file: nkey };
}

function secretOf(value: string | undefined, file: string | undefined): Secret | undefined {
  if (value !== undefined) return { value };
  return file === undefined ? undefined : { file };
}

function tlsOf({ NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile }: Settings) {
  const tls: NatsTls = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) };
  return Object.keys(tls).length === 0 ? undefined : tls;
}

const isPresent = (name: Variable | undefined): name is Variable => name !== undefined;
