import type { AddressInfo, Server } from "node:net";

/** Serves on a free port, prints it, and exits when the standard input ends: when the benchmark stops or dies. */
export function serve(server: Server): void {
  server.listen(0, "127.0.0.1", () => announce((server.address() as AddressInfo).port));
}

export function announce(port: number): void {
  process.stdout.write(`${port}\n`);
  process.stdin.on("end", () => process.exit(0)).resume();
}
