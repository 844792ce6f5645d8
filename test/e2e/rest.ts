import type { Demo, DemoUserName } from "@cloud/local-stack";

// Responses of the REST API are compared with matchers, field by field.
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Body = any;

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if there is none. */
  readonly body: Body;
}

export interface RestCalls {
  get(path: string): Promise<RestResponse>;
  post(path: string, body?: unknown): Promise<RestResponse>;
  put(path: string, body?: unknown): Promise<RestResponse>;
  delete(path: string): Promise<RestResponse>;
}

export interface Rest extends RestCalls {
  send(path: string, init: RequestInit): Promise<RestResponse>;
}

/** Creates an HTTP client of the gateway for a token; paths start after `/api`. */
export function restFor(demo: Demo, token: string | undefined): Rest {
  const send = async (path: string, init: RequestInit): Promise<RestResponse> => {
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

export type RestClients = Readonly<Record<DemoUserName | "anonymous", Rest>>;

/** Creates a client for each user of the demo, and one without a token. */
export function restClients(demo: Demo): RestClients {
  const entries = Object.entries(demo.users).map(([name, { token }]) => [name, restFor(demo, token)] as const);
  return { ...Object.fromEntries(entries), anonymous: restFor(demo, undefined) } as RestClients;
}

/** Returns status and error text as one string, for tables. */
export const refused = ({ status, body }: RestResponse): string => String(status) + " " + String(body?.error);
