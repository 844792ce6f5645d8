import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface EnvironmentProcess {
  readonly url: string;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
}

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Starts src/main.ts as production does, on a free port, and waits until it serves. */
export async function startEnvironmentProcess(variables: Record<string, string>): Promise<EnvironmentProcess> {
  const env = { HOST: "127.0.0.1", PORT: "0", LAME_DUCK_MS: "0", ...variables };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"] });
  const url = await servingUrl(child);
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    const [code] = (await exited) as [number | null];
    return code;
  };
  return { url, stop };
}

/** The log's line "serving" tells the port that the system chose; the lines after it are read and dropped. */
async function servingUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) {
    throw new TypeError("the child has no standard output");
  }
  const lines = createInterface({ input: child.stdout });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  lines.on("line", (line) => {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (msg === "serving" && url !== undefined) {
      resolve(url);
    }
  });
  child.once("exit", (code) => reject(new Error(`the service ended with ${code} before it served`)));
  return promise;
}
