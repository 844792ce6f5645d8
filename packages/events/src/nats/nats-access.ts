import { readFileSync } from "node:fs";
import type { TlsPaths } from "@cloud/runtime/settings";
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
  readonly tls?: TlsPaths;
}

/** The proof of a client's identity, besides a client certificate: a user with a password, or one of the others. */
export interface NatsLogin {
  readonly user?: string;
  readonly password?: string;
  readonly passwordFile?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  /** A file with a JWT and its seed, as `nsc generate creds` writes it. */
  readonly credsFile?: string;
  /** A file with the seed of an nkey, `SU…`. */
  readonly nkeyFile?: string;
}

/** The access without what the URL contains besides the servers. */
interface ParsedAccess {
  /** `host` or `host:port`. */
  readonly servers: string[];
  readonly login: NatsLogin | undefined;
  readonly tls: TlsPaths | undefined;
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
  return password === "" ? { token: name } : { user: name, password: decodeURIComponent(password) };
}

/** Opens a connection, which does not reconnect when it is lost. @throws NatsError, UnreadableFile */
export async function openConnection(access: ParsedAccess, clientName: string): Promise<NatsConnection> {
  const { servers, login, tls } = access;
  return await connect({
    servers,
    ...(login && { authenticator: readLogin(login) }),
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
function readLogin(login: NatsLogin): Authenticator {
  const { user, token, tokenFile, credsFile, nkeyFile } = login;
  if (user !== undefined) return usernamePasswordAuthenticator(user, readSecret(login.password, login.passwordFile));
  if (credsFile !== undefined) return credsAuthenticator(Buffer.from(readText(credsFile)));
  if (nkeyFile !== undefined) return nkeyAuthenticator(Buffer.from(readText(nkeyFile).trim()));
  return tokenAuthenticator(readSecret(token, tokenFile));
}

/** Returns a secret. A line break at the end of its file does not belong to it. */
function readSecret(value: string | undefined, file = ""): string {
  return value ?? readText(file).replace(/\r?\n$/, "");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UnreadableFile(file, error);
  }
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
