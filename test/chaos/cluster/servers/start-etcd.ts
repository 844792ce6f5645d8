import { join } from "node:path";
import { startServerProcess } from "@cloud/local-servers";
import { takeStablePort, testFolder, waitFor } from "@cloud/testkit";
import { debianPrograms } from "./debian-programs.ts";

/** The store in which Patroni's nodes agree who leads. Its own failures are etcd's matter: it has one member. */
export interface Etcd {
  /** The host and port, such as `127.0.0.1:12345`. */
  readonly address: string;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

export async function startEtcd(): Promise<Etcd> {
  const { etcd, env } = await debianPrograms();
  const [port, peerPort] = [await takeStablePort(), await takeStablePort()];
  const folder = testFolder();
  const url = `http://${HOST}:${port}`;
  const peerUrl = `http://${HOST}:${peerPort}`;
  const server = await startServerProcess({
    command: etcd,
    args: [
      ["--data-dir", join(folder, "store")],
      ["--listen-client-urls", url, "--advertise-client-urls", url],
      ["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ["--initial-cluster", `default=${peerUrl}`, "--unsafe-no-fsync"],
    ].flat(),
    env,
    logFile: join(folder, "etcd.log"),
    lastSignal: "SIGKILL",
  });
  await waitFor(async () => (await fetch(url + "/health")).ok || undefined, { deadlineMs: 20_000 });
  return { address: `${HOST}:${port}`, stop: () => server.stop("SIGTERM", 5_000) };
}
