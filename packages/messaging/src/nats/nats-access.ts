import { type NatsLogin, readLogin, readNatsFile } from "./nats-login.ts";
import { readNatsUrl } from "./read-nats-url.ts";

/** Paths of PEM files. All are read at every connect, so that they may be replaced. */
export interface NatsTls {
  /** The authorities that sign the servers' certificates; those of the system if absent. */
  readonly caFile?: string;
  /** The client's certificate and its key, for a server that demands one. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The servers, and how to log in to them. */
export interface NatsAccess {
  /**
   * One or more server URLs, separated by commas. They may contain the login, the same in each; `tls://` demands TLS.
   */
  readonly url: string;
  readonly login?: NatsLogin;
  /** Demands TLS. Without it, TLS is used if the server offers it. */
  readonly tls?: NatsTls;
}

/** The access without what the URL contains besides the servers. */
export interface ParsedAccess {
  readonly servers: string[];
  readonly login: NatsLogin | undefined;
  readonly tls: NatsTls | undefined;
}

/** @throws TypeError if there are several logins */
export function parseAccess({ url, login, tls }: NatsAccess): ParsedAccess {
  const { servers, login: inUrl, requiresTls } = readNatsUrl(url);
  if (login !== undefined && inUrl !== undefined) throw new TypeError("the URL contains a login besides the given one");
  return { servers, login: login ?? inUrl, tls: tls ?? (requiresTls ? {} : undefined) };
}

/** Returns the client's options for the login and TLS. Reads the files that they name. @throws UnreadableFile */
export async function readAccess({ servers, login, tls }: ParsedAccess) {
  return {
    servers,
    ...(login === undefined ? {} : { authenticator: await readLogin(login) }),
    ...(tls === undefined ? {} : { tls: await readTls(tls) }),
  };
}

async function readTls({ caFile, certFile, keyFile }: NatsTls) {
  return {
    ...(caFile === undefined ? {} : { ca: await readNatsFile(caFile) }),
    ...(certFile === undefined ? {} : { cert: await readNatsFile(certFile) }),
    ...(keyFile === undefined ? {} : { key: await readNatsFile(keyFile) }),
  };
}
