import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The number of clients that the promise names. */
const CLIENTS = 16;

export interface SearchedList {
  readonly url: string;
  readonly token: string;
  /** The paths to request in turn. */
  readonly paths: readonly string[];
}

export interface Searching {
  /** Stops the clients; returns the number of answers by status. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

/** Starts the clients that search and page a list; resolves when the first of them has an answer. */
export async function startSearching({ url, token, paths }: SearchedList): Promise<Searching> {
  const file = fileURLToPath(new URL("searching-process.ts", import.meta.url));
  const child = fork(file, [url, token, String(CLIENTS), ...paths], { execArgv: [], stdio: "inherit" });
  const exited = once(child, "exit");
  await once(child, "message");
  return {
    stop: async () => {
      const reported = once(child, "message");
      child.send("stop");
      const [statuses] = (await reported) as [Readonly<Record<string, number>>];
      await exited;
      return statuses;
    },
  };
}
