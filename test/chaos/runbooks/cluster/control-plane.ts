import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE, testFolder } from "@cloud/testkit";

export interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of kubectl, without its first word. */
export type Kubectl = (args: readonly string[]) => Promise<Output>;

/** A stand-in for the API of Kubernetes: a shell with this environment finds its `kubectl`, and `nats`. */
export interface ControlPlane {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startControlPlane(kubectl: Kubectl): Promise<ControlPlane> {
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => kubectl(body.replace(/\0$/, "").split("\0")))
      .catch((error: unknown): Output => ({ code: 1, stdout: "", stderr: `error: ${(error as Error).message}\n` }))
      .then(({ code, stdout, stderr }) => {
        response.statusCode = code === 0 ? 200 : 400;
        response.end(code === 0 ? stdout : stdout + stderr);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = testFolder();
  const install = (name: string, script: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const node = (name: string) => `exec "${process.execPath}" "${fileURLToPath(new URL(name, import.meta.url))}"`;
  install("nats", `${node("nats-process.ts")} "$@"`);
  // curl starts in a tenth of the time that Node takes, and the pages have dozens of these commands.
  install(
    "kubectl",
    `[ "$1" = port-forward ] && ${node("port-forward-process.ts")} ${address} "$@"
printf '%s\\0' "$@" | curl --silent --fail-with-body --data-binary @- ${address}`,
  );
  const path = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
  return {
    env: { PATH: path, ...COMPILE_CACHE },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
