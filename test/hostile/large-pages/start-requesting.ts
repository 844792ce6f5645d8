import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CONNECTIONS = 20;
const REQUESTS_EACH = 16;

export interface Requested {
  readonly port: number;
  readonly token: string;
  /** The paths to request in turn. */
  readonly paths: readonly string[];
}

/** Requests the pages 320 times at once. `stop` returns how many responses there were of each status. */
export async function startRequesting({ port, token, paths }: Requested) {
  const file = fileURLToPath(new URL("requesting-process.ts", import.meta.url));
  const args = [String(port), token, String(CONNECTIONS), String(REQUESTS_EACH), ...paths];
  const child = fork(file, args, { execArgv: [], stdio: "inherit" });
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
