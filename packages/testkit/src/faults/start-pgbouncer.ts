import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServerProcess, takeStablePort, unpackDebian, unprivilegedUser } from "@cloud/local-servers";
import { noteOpened, testFolder } from "../test-servers.ts";
import { waitFor } from "../test-telemetry.ts";
import { assertListens } from "./assert-listens.ts";

/** A pooler. */
export interface Pgbouncer {
  readonly port: number;
  /** Returns a URL of the server as one through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Lines of its configuration, such as `pool_mode = transaction`; what they do not name has its default. */
export type PgbouncerSettings = Readonly<Record<string, string>>;

const HOST = "127.0.0.1";
const ROOT = fileURLToPath(new URL("../../../../.cache/pgbouncer", import.meta.url));

/** Starts Debian's PgBouncer in front of the server of the URLs, for their roles. */
export async function startPgbouncer(urls: readonly string[], settings: PgbouncerSettings = {}): Promise<Pgbouncer> {
  const { programIn, env } = await unpackDebian({ root: ROOT, packages: ["pgbouncer"] });
  const pgbouncer = programIn("usr/sbin/pgbouncer");
  const port = await takeStablePort();
  const folder = mkdtempSync(join(testFolder(), "pgbouncer-"));
  const [file, userFile] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  writeFileSync(userFile, urls.map(loginLine).join("\n"), { mode: 0o600 });
  writeFileSync(file, configuration(new URL(urls[0] ?? ""), port, userFile, settings));
  const user = unprivilegedUser(folder, [folder, file, pgbouncer]);
  for (const path of [folder, file, userFile]) user?.own(path);
  const noteClosed = noteOpened("pgbouncer", String(port));
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
    await assertListens(port);
    return true;
  };
  await waitFor(listens, { deadlineMs: 10_000 });
  return {
    port,
    through: (url) => Object.assign(new URL(url), { host: `${HOST}:${port}` }).href,
    stop: async () => {
      await server.stop("SIGKILL", 0);
      noteClosed();
    },
  };
}

const loginLine = (url: string) => {
  const { username, password } = new URL(url);
  return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"`;
};

function configuration(target: URL, port: number, userFile: string, settings: PgbouncerSettings): string {
  const own = {
    listen_addr: HOST,
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: userFile,
    ...settings,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`);
  const database = `${target.pathname.slice(1)} = host=${target.hostname} port=${target.port}`;
  return ["[databases]", database, "[pgbouncer]", ...lines, ""].join("\n");
}
