import { setTimeout as delay } from "node:timers/promises";
import type { Database, Pooler } from "@cloud/postgres";
import { ConfigError, postgresUrl } from "@cloud/runtime/settings";
import { currentCorrelation, inSpan, type Tracing } from "@cloud/runtime/telemetry";
import * as z from "zod";

/** The environment variables by which a service reaches its database. */
export const databaseSettings = () => ({
  /** Connects as the program's role, to Postgres or to a pooler in transaction mode. */
  DATABASE_URL: postgresUrl().describe(
    "Postgres, as the program's role, or a pooler, such as PgBouncer in transaction mode",
  ),
  ...directSettings(),
  /** `on`: the pooler keeps named statements. Only with DATABASE_DIRECT_URL. */
  DATABASE_PREPARED_STATEMENTS: z
    .enum(["on", "off"], { error: "must be on or off" })
    .optional()
    .describe(
      "`on`: the pooler keeps named statements (PgBouncer 1.21 or later with `max_prepared_statements`). `off`, the default with a pooler: each statement is planned each time",
    ),
});

/**
 * The variable that migrations and commands read besides DATABASE_URL: migrations need a session, and commands gain
 * nothing by a pooler.
 */
export const directSettings = () => ({
  /** Bypasses the pooler that DATABASE_URL names; absent if it names Postgres itself. */
  DATABASE_DIRECT_URL: postgresUrl()
    .optional()
    .describe(
      "Postgres itself, where `DATABASE_URL` names a pooler, as the same role: for migrations and the operator's commands",
    ),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof databaseSettings>>>>;

/** Returns the pooler that DATABASE_URL names; undefined if it names Postgres itself. @throws ConfigError */
export function poolerOf(settings: Settings): Pooler | undefined {
  const { DATABASE_DIRECT_URL: directUrl, DATABASE_PREPARED_STATEMENTS: prepared } = settings;
  if (directUrl !== undefined) return { directUrl, keepsStatements: prepared === "on" };
  if (prepared === undefined) return undefined;
  throw new ConfigError(["DATABASE_PREPARED_STATEMENTS: is for a pooler, which needs DATABASE_DIRECT_URL, too"]);
}

/** Returns the URL of Postgres itself, without the pooler. */
export function directUrlOf(settings: {
  readonly DATABASE_URL: string;
  readonly DATABASE_DIRECT_URL?: string | undefined;
}): string {
  return settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
}

/**
 * Returns a database whose statements and transactions are spans of the request that they run for, one each; `db`
 * itself while tracing is off. Work for no request, such as a pass of the reconciler, has no span.
 */
export function traceDatabase(db: Database, tracing: Tracing | undefined): Database {
  if (tracing === undefined) return db;
  const attributes = { "db.system.name": "postgresql", "db.namespace": db.schema };
  const traced = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const isOfRequest = currentCorrelation() !== undefined;
    return isOfRequest ? inSpan(tracing, { name, kind: "client", attributes }, work) : work();
  };
  return {
    ...db,
    read: (statement, params) => traced(nameOf(statement.text), () => db.read(statement, params)),
    batch: (statements) => traced("transaction", () => db.batch(statements)),
    transaction: (work) => traced("transaction", () => db.transaction(work)),
  };
}

/** Returns a database that calls `act` after each of its commits, except a commit whose confirmation is lost. */
export function afterCommits(db: Database, act: () => void): Database {
  return {
    ...db,
    transaction: async (work) => {
      const result = await db.transaction(work);
      act();
      return result;
    },
    batch: async (statements) => {
      const results = await db.batch(statements);
      act();
      return results;
    },
  };
}

/** Returns the name of a statement's span: the first word, because statements are long. */
function nameOf(text: string): string {
  return /[a-z]+/.exec(text)?.[0] ?? "statement";
}

/**
 * Resolves if the database replies soon, and accepts writes. A readiness probe must not block on an unresponsive
 * database.
 */
export async function checkDatabase(db: Pick<Database, "assertWritable">): Promise<void> {
  const late = delay(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error("the database did not reply in time");
  });
  await Promise.race([db.assertWritable(), late]);
}

/** Milliseconds: less than the second that the gateway waits for a service's readiness (gateway/src/services.ts). */
const LIMIT_MS = 800;
