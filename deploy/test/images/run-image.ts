import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { waitFor } from "@cloud/testkit";
import type { ImageConfig } from "./buildah.ts";

/**
 * Enters an image as a container engine does: its files as a read-only root, in a namespace of processes in which the
 * command is process 1, as the user of the image. The network is this machine's.
 */
const ENTER = `
  mount --bind "$1" "$1"
  mount -o remount,bind,ro "$1"
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  cd "$1$3"
  user="$2" root="$1" folder="$3"
  shift 3
  exec chroot --userspec="$user" "$root" /usr/bin/env --chdir="$folder" "$@"`;

const NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child"];

export interface InImage {
  readonly folder: string;
  readonly config: ImageConfig;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a command to its end. */
export function runInImage(image: InImage, command: readonly string[], environment: Environment): Ended {
  const [program, ...args] = argumentsOf(image, command);
  const ended = spawnSync(program, args, { env: environmentOf(image, environment), encoding: "utf8", timeout: 60_000 });
  return { status: ended.status, output: ended.stdout + ended.stderr };
}

type Environment = Readonly<Record<string, string>>;

export interface RunningImage {
  readonly readyMs: number;
  /** Returns the container's log so far. */
  output(): string;
  /** Sends SIGTERM to the container's process 1, and returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends the container if it is running. */
  close(): Promise<void>;
}

/** Starts the command of the image, and returns once `readyUrl` replies with 200. */
export async function startImage(image: InImage, environment: Environment, readyUrl: string): Promise<RunningImage> {
  const startedAt = performance.now();
  const [program, ...args] = argumentsOf(image, image.config.Cmd);
  const child = spawn(program, args, { env: environmentOf(image, environment), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exit = once(child, "exit");
  const isReady = () =>
    fetch(readyUrl).then(
      (reply) => reply.ok || undefined,
      () => undefined,
    );
  try {
    await waitFor(async () => (child.exitCode === null ? isReady() : Promise.reject(new Error("it has exited"))), {
      deadlineMs: 20_000,
    });
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${image.config.Labels["org.opencontainers.image.title"]} is not ready: ${output}`, {
      cause: error,
    });
  }
  const readyMs = performance.now() - startedAt;
  const stop = async () => {
    process.kill(firstProcessOf(child), "SIGTERM");
    const [code] = (await exit) as [number | null];
    return code;
  };
  const close = async () => {
    child.kill("SIGKILL"); // takes its namespace with it
    await exit;
  };
  return { readyMs, output: () => output, stop, close };
}

/** `unshare` waits for process 1 of the namespace, its only child, and does not pass signals on. */
function firstProcessOf(child: ChildProcess): number {
  const { stdout } = spawnSync("pgrep", ["--parent", String(child.pid)], { encoding: "utf8" });
  return Number(stdout.trim());
}

function argumentsOf({ folder, config }: InImage, command: readonly string[]): [string, ...string[]] {
  return ["unshare", ...NAMESPACES, "sh", "-euc", ENTER, "sh", folder, config.User, config.WorkingDir, ...command];
}

function environmentOf({ config }: InImage, environment: Environment): Environment {
  const own = config.Env.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const);
  return { ...Object.fromEntries(own), ...environment };
}
