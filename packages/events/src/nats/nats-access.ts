import { readFile } from "node:fs/promises";
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "nats";
import { type Durable, durablesOf } from "../envelope.ts";
import { streamName } from "./stream.ts";

/** The servers, and how to log in to them. Its files are read at every connect, so that they may be replaced. */
export interface NatsAccess {
  /**
   * The URLs of the servers, separated by commas. They may contain the login, the same in each; `tls://` demands TLS.
   */
  readonly url: string;
  readonly login?: NatsLogin;
  /** Demands TLS. Without it, TLS is used if the server offers it. */
  readonly tls?: NatsTls;
}

/** The proof of a client's identity, besides a client certificate. */
export type NatsLogin =
  | { readonly kind: "user"; readonly user: string; readonly password: Secret }
  | { readonly kind: "token"; readonly token: Secret }
  /** A file with a JWT and its seed, as `nsc generate creds` writes it. */
  | { readonly kind: "creds"; readonly file: string }
  /** A file with the seed of an nkey, `SU…`. */
  | { readonly kind: "nkey"; readonly file: string };

/** A secret, or the file that contains it. */
export type Secret = { readonly value: string } | { readonly file: string };

/** Paths of PEM files, as the client takes them. */
export interface NatsTls {
  /** The authorities that sign the servers' certificates; the system's if absent. */
  readonly caFile?: string;
  /** The client's certificate and its key, for a server that demands one. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The access without what the URL contains besides the servers. */
interface ParsedAccess {
  /** `host` or `host:port`. */
  readonly servers: string[];
  readonly login: NatsLogin | undefined;
  readonly tls: NatsTls | undefined;
}

/**
 * Separates the servers, the login and TLS.
 *
 * @throws TypeError if there are several logins, URIError for one that is not percent-encoded
 */
export function parseAccess({ url, login, tls }: NatsAccess): ParsedAccess {
  const urls = url.split(",").map((part) => new URL(part.trim()));
  const [inUrl, ...others] = urls.map(loginIn);
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(inUrl))) {
    throw new TypeError("the servers have different logins in their URLs");
  }
  if (login !== undefined && inUrl !== undefined) throw new TypeError("the URL contains a login besides the given one");
  const requiresTls = urls.some(({ protocol }) => protocol === "tls:");
  return {
    servers: urls.map(({ host }) => host),
    login: login ?? inUrl,
    tls: tls ?? (requiresTls ? {} : undefined),
  };
}

/**
 * Returns the login in a URL, which the client itself ignores. As in other clients of NATS, a user without a password
 * is a token.
 */
function loginIn({ username, password }: URL): NatsLogin | undefined {
  if (username === "" && password === "") return undefined;
  const name = decodeURIComponent(username);
  if (password === "") return { kind: "token", token: { value: name } };
  return { kind: "user", user: name, password: { value: decodeURIComponent(password) } };
}

/** Opens a connection, which does not reconnect when it is lost. @throws NatsError, UnreadableFile */
export async function openConnection(access: ParsedAccess, clientName: string): Promise<NatsConnection> {
  const { servers, login, tls } = access;
  return await connect({
    servers,
    ...(login && { authenticator: await readLogin(login) }),
    ...(tls && { tls }), // protects: nats-tls
    name: clientName,
    inboxPrefix: inboxPrefix(clientName),
    reconnect: false,
    timeout: 2000,
    // An unresponsive server is detected at the third unanswered ping: after 4.5 s.
    pingInterval: 1500,
    maxPingOut: 2,
    noAsyncTraces: true, // an error with its stack per request, even if it succeeds
  });
}

/**
 * Returns the beginning of the subjects at which a client receives replies. Each service has its own, and permissions
 * to read only there: with the usual `_INBOX` each could read the replies of all.
 */
const inboxPrefix = (clientName: string): string => `_INBOX_${clientName}`;

/** Reads the files of a login. @throws UnreadableFile */
async function readLogin(login: NatsLogin): Promise<Authenticator> {
  switch (login.kind) {
    case "user":
      return usernamePasswordAuthenticator(login.user, await readSecret(login.password));
    case "token":
      return tokenAuthenticator(await readSecret(login.token));
    case "creds":
      return credsAuthenticator(Buffer.from(await readText(login.file)));
    case "nkey":
      return nkeyAuthenticator(Buffer.from((await readText(login.file)).trim()));
  }
}

/** Returns a secret. A line break at the end of its file does not belong to it. */
async function readSecret(secret: Secret): Promise<string> {
  return "value" in secret ? secret.value : (await readText(secret.file)).replace(/\r?\n$/, "");
}

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw new UnreadableFile(file, error);
  });
}

/** Thrown when a file of the login cannot be read. */
export class UnreadableFile extends Error {
  constructor(file: string, cause: unknown) {
    super(`the file ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}`, { cause });
    this.name = "UnreadableFile";
  }
}

interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * Returns the subjects that the NATS user of a service needs, and no others: its own events; the state and the creation
 * of the stream; its own durables, each with its filter; its own inboxes; its own signals, if it has any.
 *
 * `STREAM.UPDATE` lets each service correct a stream that someone has changed, so that no event is dropped by a limit.
 * A service that holds it can purge the stream by a limit, which the reconcilers make up for, and from nats-server 2.10
 * on publish in the name of others with a `subject_transform`, which the owner of the record refutes. Without it, a
 * difference is only reported, by the condition `stream-configuration`.
 */
export function natsPermissions(
  service: string,
  consumedSubjects: readonly string[],
  signals: readonly string[] = [],
): NatsPermissions {
  return {
    publish: [
      `cloud.v1.${service}.>`,
      ...signals,
      `$JS.API.STREAM.INFO.${streamName}`,
      `$JS.API.STREAM.CREATE.${streamName}`,
      `$JS.API.STREAM.UPDATE.${streamName}`,
      ...durablesOf(service, consumedSubjects).flatMap(durableSubjects),
    ],
    subscribe: [...signals, `${inboxPrefix(service)}.>`],
  };
}

/** The filter is part of the subject that creates a durable, so that the durable receives these events only. */
const durableSubjects = ({ durable, subject: filter }: Durable): string[] => [
  `$JS.API.CONSUMER.INFO.${streamName}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${streamName}.${durable}.${filter}`,
  `$JS.API.CONSUMER.DELETE.${streamName}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${durable}`,
  `$JS.ACK.${streamName}.${durable}.>`,
];
