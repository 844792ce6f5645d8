import { spawn } from "node:child_process";
import { once } from "node:events";
import { COMPILE_CACHE } from "@cloud/testkit";
import { IMAGE_ENVIRONMENT } from "./image-environment.ts";

/** A program that runs beside ours, for comparison. */
export interface Peer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

export interface PeerOptions {
  readonly command?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program that prints its port as its first line and exits when its standard input ends. Like our programs, it
 * has the environment of the images.
 */
export async function startPeer({ command = process.execPath, args, env = {} }: PeerOptions): Promise<Peer> {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", ...IMAGE_ENVIRONMENT, ...COMPILE_CACHE, ...env },
  });
  const exited = once(child, "exit");
  const failed = exited.then(() => Promise.reject(new Error(`${args[0]} has exited before it printed its port`)));
  const [line] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer];
  const port = Number(line.toString().trim());
  return {
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
