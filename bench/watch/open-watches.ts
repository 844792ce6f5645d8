import http from "node:http";

export interface OpenWatches {
  /**
   * Returns the times at which events arrived at the watches of a workspace, in milliseconds of `performance.now()`: a
   * list that grows, with a time for each event and watch.
   */
  arrivals(workspaceId: string): readonly number[];
  /** The times at which watches ended, by token, in milliseconds of `performance.now()`. */
  readonly ends: ReadonlyMap<string, number>;
  close(): void;
}

export interface WatchesOptions {
  readonly url: string;
  /** The tokens; a watch is opened with each. */
  readonly tokens: readonly string[];
  readonly workspaceIds: readonly string[];
}

/** The number of watches that are opened at once. */
const CONCURRENCY = 100;

/**
 * Opens watches by REST, spread over the workspaces, and waits for the first message of each. @throws Error if one
 * fails
 */
export async function openWatches({ url, tokens, workspaceIds }: WatchesOptions): Promise<OpenWatches> {
  const arrivals = new Map(workspaceIds.map((id) => [id, [] as number[]]));
  const ends = new Map<string, number>();
  const requests: http.ClientRequest[] = [];
  const open = (token: string, workspaceId: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const path = `${url}/api/workspaces/${workspaceId}/events:watch`;
      const request = http.get(path, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a watch failed with ${response.statusCode}`));
        response.setEncoding("utf8").on("error", () => undefined);
        response.on("close", () => ends.set(token, performance.now()));
        response.on("data", (text: string) => {
          resolve();
          const now = performance.now();
          for (const _ of text.matchAll(/^data:/gm)) arrivals.get(workspaceId)?.push(now);
        });
      });
      request.on("error", reject);
      requests.push(request);
    });
  for (let opened = 0; opened < tokens.length; opened += CONCURRENCY) {
    const next = tokens.slice(opened, opened + CONCURRENCY);
    await Promise.all(next.map((token, n) => open(token, workspaceIds[(opened + n) % workspaceIds.length] ?? "")));
  }
  return {
    ends,
    arrivals: (workspaceId) => arrivals.get(workspaceId) ?? [],
    close: () => {
      for (const request of requests) request.destroy();
    },
  };
}
