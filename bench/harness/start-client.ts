import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Load, LoadResult } from "./load.ts";

export interface Client {
  readonly pid: number;
  /** Sends one load; resolves when every request has a response. @throws Error when a connection breaks */
  play(load: Load): Promise<LoadResult>;
  stop(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL("client-process.ts", import.meta.url));

export interface ClientOptions {
  /** A program that replies to a `Load` with a `LoadResult`; the client of HTTP/1.1 if absent. */
  readonly file: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a client in a process of its own. It plays one load at a time. */
export function startClient({ file, env = {} }: ClientOptions = { file: PROCESS }): Client {
  const child = fork(file, { serialization: "advanced", env: { ...process.env, NODE_ENV: "production", ...env } });
  const exited = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    play: async (load) => {
      const replied = once(child, "message");
      child.send(load);
      const ended = exited.then(() => Promise.reject(new Error("the client has exited")));
      const [{ result, error }] = (await Promise.race([replied, ended])) as [{ result?: LoadResult; error?: string }];
      if (result === undefined) throw new Error(`the client failed: ${error}`);
      return result;
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
