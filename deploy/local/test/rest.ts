import type { Demo, DemoUserName } from "../src/demo.ts";

// The answers of a REST API are looked at with matchers, field by field.
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined when there is none. */
  readonly body: Body;
}

export interface Rest {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  send(path: string, init: RequestInit): Promise<Answer>;
}

/** An HTTP client of the gateway for a token; paths start after `/api`. */
export function restFor(demo: Demo, token: string | undefined): Rest {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (token !== undefined) {
      headers.set("authorization", "Bearer " + token);
    }
    const response = await fetch(demo.gateway + "/api" + path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const withBody = (method: string) => (path: string, body?: unknown) =>
    send(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  return {
    send,
    get: (path) => send(path, {}),
    post: withBody("POST"),
    put: withBody("PUT"),
    delete: (path) => send(path, { method: "DELETE" }),
  };
}

export type Everybody = Readonly<Record<DemoUserName | "nobody", Rest>>;

/** A client for each user of the demo, and one without a token. */
export function everybody(demo: Demo): Everybody {
  const entries = Object.entries(demo.users).map(([name, { token }]) => [name, restFor(demo, token)] as const);
  return { ...Object.fromEntries(entries), nobody: restFor(demo, undefined) } as Everybody;
}

/** Status and error text in one, for tables. */
export const refused = ({ status, body }: Answer): string => String(status) + " " + String(body?.error);
