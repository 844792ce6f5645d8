import { readFileSync } from "node:fs";
import { root } from "./programs.ts";

export interface Copy {
  readonly sources: readonly string[];
  readonly target: string;
}

export interface Stages {
  /** The image of the first stage, such as `node:26.10.0-slim@sha256:…`. */
  readonly image: string;
  /** The copies that the first stage makes from the repository, in order. */
  readonly copies: readonly Copy[];
  /** The shell lines of the first stage; `${PROGRAM}` is left to the shell, as in Docker. */
  readonly runs: readonly string[];
  /** The folder of the first stage that becomes /app of the last. */
  readonly built: string;
  readonly user: string;
  /** The working folder of the image, below /app. */
  readonly workingFolder: string;
  readonly command: readonly string[];
}

const PROGRAM = "$" + "{PROGRAM}";

/** Reads the instructions that a test can follow by hand. Supports only the two stages of our Dockerfile. */
export function readDockerfile(program: string): Stages {
  const text = readFileSync(`${root}deploy/docker/Dockerfile`, "utf8");
  const [head = "", build = "", last = ""] = text.split(/^FROM .*$/m);
  const expand = (value: string) => value.replaceAll(PROGRAM, program);
  return {
    image: only(head, "ARG").replace("NODE_IMAGE=", ""),
    copies: all(build, "COPY").map((line) => {
      const paths = expand(line).split(" ");
      return { sources: paths.slice(0, -1), target: paths.at(-1) ?? "" };
    }),
    runs: all(build, "RUN"),
    built: /^--from=build \/app\/(\S+) \/app$/.exec(only(last, "COPY"))?.[1] ?? "",
    user: only(last, "USER"),
    workingFolder: expand(only(last, "WORKDIR")).replace(/^\/app\/?/, ""),
    command: JSON.parse(only(last, "CMD")) as string[],
  };
}

function all(stage: string, instruction: string): string[] {
  const lines = stage.split("\n").filter((line) => line.startsWith(instruction + " "));
  return lines.map((line) => line.slice(instruction.length + 1));
}

function only(stage: string, instruction: string): string {
  const [line, ...more] = all(stage, instruction);
  if (line === undefined || more.length > 0) throw new Error(`${instruction} is expected once in its stage`);
  return line;
}

/** Returns the paths that .dockerignore excludes from the copied folders, as globs. */
export function ignoredPaths(): string[] {
  const lines = readFileSync(`${root}.dockerignore`, "utf8").split("\n");
  return lines.filter((line) => line !== "" && line !== "*" && !line.startsWith("#") && !line.startsWith("!"));
}
