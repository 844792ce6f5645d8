/** Requests for a client to send over kept connections. */
export interface Load {
  /** The connections are spread over them. */
  readonly ports: readonly number[];
  /** Complete HTTP/1.1 requests, sent in turn and from the first again after the last. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** The number of responses after which the load ends. */
  readonly count: number;
  /** Requests a second, whether earlier ones have responses or not; absent is as fast as the responses arrive. */
  readonly perSecond?: number;
  /** The durations of so many requests, the first, are left out; 0 if absent. */
  readonly unmeasured?: number;
}

export interface LoadResult {
  /** Number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds from when each request was due until its response was complete. */
  readonly durations: readonly number[];
  readonly seconds: number;
}

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
}

/** Writes a request as it is sent. */
export function writeRequest({ method, path, token, body }: RequestParts): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(text === "" ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
