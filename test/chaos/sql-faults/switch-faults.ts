import { get } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "@cloud/testkit";
import { SERVICES, type System, type SystemOptions } from "../system/start-system.ts";

export interface FaultSwitch {
  /** Options that the system must be started with. */
  readonly options: Pick<SystemOptions, "env" | "preload">;
  /** Makes `percent` of every service's statements fail from now on, or of the statements that match `only`. */
  on(system: System, percent: number, only?: string): Promise<void>;
  off(system: System): Promise<void>;
  /** Statements while it was on, and faults by kind, of all services. */
  counts(): Readonly<Record<string, number>>;
}

export function createFaultSwitch(seed: number): FaultSwitch {
  const folder = testFolder();
  const preload = [fileURLToPath(new URL("fail-statements.ts", import.meta.url))];
  let counts: Record<string, number> = {};
  const sendAll = async ({ services }: System, path: string) => {
    const ports = SERVICES.flatMap((name) => services[name]).map(({ port }) => join(folder, String(port)));
    const replies = await Promise.all(ports.map((socketPath) => send(socketPath, path)));
    counts = replies.reduce(add, {});
  };
  return {
    options: {
      env: { FAULTS_FOLDER: folder, FAULTS_SEED: String(seed) },
      preload: Object.fromEntries(SERVICES.map((name) => [name, preload])),
    },
    on: (system, percent, only = ".") =>
      sendAll(system, "/on?" + new URLSearchParams({ percent: String(percent), only }).toString()),
    off: (system) => sendAll(system, "/off"),
    counts: () => counts,
  };
}

function send(socketPath: string, path: string): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => {
    const request = get({ socketPath, path }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve(JSON.parse(text) as Record<string, number>));
    });
    request.on("error", reject);
  });
}

const add = (sum: Record<string, number>, more: Record<string, number>) => {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
};
