import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Done } from "./done.ts";
import type { FloodName } from "./floods.ts";

export interface Sink {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const child = start("sink.ts");
  const [port] = (await once(child, "message")) as [number];
  return { port, stop: () => end(child) };
}

export interface Attack {
  /** Closes all connections of the client. */
  stop(): Promise<Done>;
}

/** Resolves when the flood's client has opened its first connection. */
export async function startAttack(name: FloodName, port: number): Promise<Attack> {
  const child = start("attacker.ts", name, String(port));
  await once(child, "message");
  const stop = async () => {
    const reported = once(child, "message");
    child.send("stop");
    const [done] = (await reported) as [Done];
    await end(child);
    return done;
  };
  return { stop };
}

function start(file: string, ...args: string[]): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: [], stdio: "inherit" });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
