import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackDebian } from "@cloud/local-servers";

/** Where the programs of Debian's packages are, and with which environment they run. */
export interface DebianPrograms {
  readonly etcd: string;
  readonly haproxy: string;
  /** The script of Patroni, which Python runs. */
  readonly patroni: string;
  /** The folder with `postgres`, `pg_basebackup` and `pg_rewind`, which the npm package lacks. */
  readonly postgresFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL("../../../../.cache/cluster-programs", import.meta.url));
const PACKAGES = ["postgresql", "patroni", "etcd-server", "haproxy"];

/** Returns the programs, unpacked once into the cache. @throws Error if there is no apt or no such package */
export async function debianPrograms(): Promise<DebianPrograms> {
  const { programIn, env } = await unpackDebian({ root: ROOT, packages: PACKAGES });
  return {
    etcd: programIn("usr/bin/etcd"),
    haproxy: programIn("usr/sbin/haproxy"),
    patroni: programIn("usr/bin/patroni"),
    postgresFolder: await postgresFolder(),
    env: { ...env, PYTHONPATH: join(ROOT, "usr/lib/python3/dist-packages") },
  };
}

async function postgresFolder(): Promise<string> {
  for (const folder of [join(ROOT, "usr/lib/postgresql"), "/usr/lib/postgresql"]) {
    const [newest] = existsSync(folder) ? (await readdir(folder)).toSorted().toReversed() : [];
    if (newest !== undefined && existsSync(join(folder, newest, "bin/pg_rewind"))) return join(folder, newest, "bin");
  }
  throw new Error("there is no PostgreSQL of Debian with pg_rewind");
}
