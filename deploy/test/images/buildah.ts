import { spawnSync } from "node:child_process";
import { root } from "../programs.ts";

/** The place of images and containers, apart from the machine's own. */
const STORAGE = ["--root", `${root}.cache/images/storage`, "--runroot", `${root}.cache/images/run`];

const MISSING =
  "images are built with buildah, on a base that mmdebstrap makes: `apt-get install buildah mmdebstrap`, and run this as root";

/** Runs a program and returns what it prints. Throws with all its output if it fails, or with how to install it. */
export function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined && "code" in error && error.code === "ENOENT")
    throw new Error(`${program} is missing: ${MISSING}`);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

export function buildah(command: string, ...args: readonly string[]): string {
  if (process.getuid?.() !== 0) throw new Error(MISSING);
  return run("buildah", [...STORAGE, command, ...args]);
}

export interface ImageConfig {
  readonly User: string;
  readonly Cmd: readonly string[];
  readonly Entrypoint?: readonly string[] | null;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}

export function configOf(image: string): ImageConfig {
  const inspected = JSON.parse(buildah("inspect", "--type", "image", image)) as {
    OCIv1: { config: ImageConfig };
  };
  return inspected.OCIv1.config;
}

/** A container of an image that is not started, whose files can be read. */
export interface Mounted {
  readonly folder: string;
  remove(): void;
}

export function mountImage(image: string): Mounted {
  const container = buildah("from", "--pull-never", image);
  return { folder: buildah("mount", container), remove: () => buildah("rm", container) };
}
