import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterFolderOf, startPostgres } from "@cloud/local-servers";
import pg from "pg";
import { noteOpened, testFolder } from "../test-servers.ts";
import type { Authority } from "./certificates.ts";

export interface TlsPostgres {
  /** The superuser's URL, by address, without TLS. */
  readonly superuserUrl: string;
  /** Runs a statement as the superuser. */
  run(statement: string): Promise<void>;
  /**
   * Presents another certificate of the authority, for this host. Connections may see the previous one for a moment.
   */
  presentCertificateFor(host: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Postgres that offers TLS, with a certificate for `localhost`, and trusts client certificates of the same
 * authority. `rules` are lines of pg_hba.conf, before the ones that accept passwords.
 */
export async function startTlsPostgres(authority: Authority, rules: string): Promise<TlsPostgres> {
  const folder = testFolder();
  const server = await startPostgres({ folder, persistent: false });
  const noteClosed = noteOpened("Postgres", `TLS-${server.port}`);
  const cluster = clusterFolderOf(folder);
  // The server runs as another user if the test runs as root, and accepts a key only of its own.
  const writeServerFile = (name: string, content: string) => {
    const file = join(cluster, name);
    writeFileSync(file, content, { mode: 0o600 });
    const { uid, gid } = statSync(cluster);
    chownSync(file, uid, gid);
  };
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server.superuserUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const presentCertificateFor = async (host: string) => {
    const { certificate, key } = authority.issue("postgres", host);
    writeServerFile("server.crt", certificate);
    writeServerFile("server.key", key);
    await run("select pg_reload_conf()");
  };
  writeServerFile("ca.crt", authority.certificate);
  const file = join(cluster, "pg_hba.conf");
  writeFileSync(file, rules + readFileSync(file, "utf8"));
  for (const setting of ["ssl_ca_file='ca.crt'", "ssl=on"]) await run(`alter system set ${setting}`);
  await presentCertificateFor("localhost");
  const stop = async () => {
    await server.stop();
    noteClosed();
  };
  return { superuserUrl: server.superuserUrl, run, presentCertificateFor, stop };
}
