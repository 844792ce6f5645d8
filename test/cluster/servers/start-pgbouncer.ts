import { mkdirSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { startServerProcess, unprivilegedUser } from "@cloud/local-servers";
import { takeStablePort, testFolder, waitFor } from "@cloud/testkit";
import { debianPrograms } from "./debian-programs.ts";

/** A pooler in transaction mode. */
export interface Pgbouncer {
  readonly port: number;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Connections to Postgres for each role; there are more clients than that. */
export const POOL_SIZE = 6;

/** Starts Debian's PgBouncer in front of the server of the URLs, for their roles, with few connections for each. */
export async function startPgbouncer(urls: readonly string[]): Promise<Pgbouncer> {
  const { pgbouncer, env } = await debianPrograms();
  const port = await takeStablePort();
  const folder = join(testFolder(), "pgbouncer");
  mkdirSync(folder, { mode: 0o700 });
  const [file, userFile] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  writeFileSync(userFile, urls.map(loginLine).join("\n"), { mode: 0o600 });
  writeFileSync(file, configuration(new URL(urls[0] ?? ""), port, userFile));
  const user = unprivilegedUser(folder, [folder, file, pgbouncer]);
  for (const path of [folder, file, userFile]) user?.own(path);
  const server = await startServerProcess({
    command: pgbouncer,
    args: [file],
    env,
    logFile: join(folder, "pgbouncer.log"),
    user,
    lastSignal: "SIGKILL",
  });
  const listens = async () => {
    if (server.hasEnded()) throw new Error(`PgBouncer does not start: ${server.lastLines()}`);
    await connectOnce(port);
    return true;
  };
  await waitFor(listens, { deadlineMs: 10_000 });
  return { port, stop: () => server.stop("SIGKILL", 0) };
}

const loginLine = (url: string) => {
  const { username, password } = new URL(url);
  return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"`;
};

const configuration = ({ hostname, port: target, pathname }: URL, port: number, userFile: string) => `
[databases]
${pathname.slice(1)} = host=${hostname} port=${target}
[pgbouncer]
listen_addr = ${HOST}
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${userFile}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = 500
server_login_retry = 1
`;

const connectOnce = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: HOST });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
