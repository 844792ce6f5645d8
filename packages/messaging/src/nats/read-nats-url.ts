import type { NatsLogin } from "./nats-login.ts";

export interface NatsUrl {
  /** `host` or `host:port`, without what else the URL contains. */
  readonly servers: string[];
  /** From `nats://user:password@host` or `nats://token@host`, which the client itself would ignore. */
  readonly login: NatsLogin | undefined;
  /** Whether a server is named by `tls://`. */
  readonly requiresTls: boolean;
}

/** Reads one or more URLs, separated by commas. @throws TypeError if they contain different logins */
export function readNatsUrl(text: string): NatsUrl {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const [first, ...others] = urls.map(loginIn);
  if (others.some((login) => JSON.stringify(login) !== JSON.stringify(first))) {
    throw new TypeError("the servers have different logins in their URLs");
  }
  return {
    servers: urls.map((url) => url.host),
    login: first,
    requiresTls: urls.some((url) => url.protocol === "tls:"),
  };
}

/** As in other clients of NATS, a user without a password is a token. */
function loginIn({ username, password }: URL): NatsLogin | undefined {
  if (username === "" && password === "") return undefined;
  const name = decodeURIComponent(username);
  if (password === "") return { kind: "token", token: { value: name } };
  return { kind: "user", user: name, password: { value: decodeURIComponent(password) } };
}
