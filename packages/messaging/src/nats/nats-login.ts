import { readFile } from "node:fs/promises";
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "nats";

/** A secret, or the file that contains it. */
export type Secret = { readonly value: string } | { readonly file: string };

/** How a client proves to the server who it is, besides a client certificate. */
export type NatsLogin =
  | { readonly kind: "user"; readonly user: string; readonly password: Secret }
  | { readonly kind: "token"; readonly token: Secret }
  /** A file with a JWT and its seed, as `nsc generate creds` writes it. */
  | { readonly kind: "creds"; readonly file: string }
  /** A file with the seed of an nkey, `SU…`. */
  | { readonly kind: "nkey"; readonly file: string };

/** Reads the files of a login, at every connect, so that a secret may be replaced. @throws UnreadableFile */
export async function readLogin(login: NatsLogin): Promise<Authenticator> {
  switch (login.kind) {
    case "user":
      return usernamePasswordAuthenticator(login.user, await readSecret(login.password));
    case "token":
      return tokenAuthenticator(await readSecret(login.token));
    case "creds":
      return credsAuthenticator(Buffer.from(await readNatsFile(login.file)));
    case "nkey":
      return nkeyAuthenticator(Buffer.from((await readNatsFile(login.file)).trim()));
  }
}

/** Describes a login, without its secret, for the end of a sentence. */
export function describeLogin(login: NatsLogin | undefined): string {
  if (login === undefined) return "without a login";
  if (login.kind === "user") return `as the user ${login.user}`;
  return login.kind === "token" ? "with the token" : `with the ${login.kind} file ${login.file}`;
}

/** A line break at the end of the file does not belong to the secret. */
async function readSecret(secret: Secret): Promise<string> {
  return "value" in secret ? secret.value : (await readNatsFile(secret.file)).replace(/\r?\n$/, "");
}

/** A file of the login or of TLS cannot be read. */
export class UnreadableFile extends Error {
  constructor(file: string, cause: unknown) {
    super(`the file ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? String(cause)}`, { cause });
    this.name = "UnreadableFile";
  }
}

/** @throws UnreadableFile */
export async function readNatsFile(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: unknown) => {
    throw new UnreadableFile(file, error);
  });
}
