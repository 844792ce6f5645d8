import type { z } from "zod";
import { findUnreadable } from "./file-settings.ts";
import { url } from "./settings.ts";

/**
 * The URL of a Postgres server, with or without verified TLS. The other modes of `sslmode` mean something else in each
 * client, and in `pg` from version 9 on no verification; TLS that verifies nothing protects only from eavesdroppers.
 * `passwordfile` names a file with the password, which is read at each connection.
 */
export const postgresUrl = () => url("postgres", "postgresql").superRefine(checkParameters);

function checkParameters(text: string, context: z.RefinementCtx): void {
  if (!URL.canParse(text)) return;
  const { searchParams, password } = new URL(text);
  const problems = [...tlsProblems(searchParams), ...passwordProblems(searchParams, password)];
  for (const problem of problems) context.addIssue(problem);
  const own = OF_THE_PROGRAM.find((name) => searchParams.has(name));
  if (own !== undefined) context.addIssue(`the parameter ${own} is not accepted: the program sends its own`);
}

/** The parameters that would replace what the program itself sends. */
const OF_THE_PROGRAM = [
  "options",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "query_timeout",
  "client_encoding",
  "password",
] as const;

function tlsProblems(parameters: URLSearchParams): string[] {
  const mode = parameters.get("sslmode");
  if (mode !== null && mode !== "disable" && mode !== "verify-full") {
    return [`sslmode must be verify-full or disable: in place of sslmode=${mode} write ${IN_PLACE}`];
  }
  const ignored = ["ssl", "uselibpqcompat"].find((name) => parameters.has(name));
  if (ignored !== undefined) return [`the parameter ${ignored} is not accepted: in place of it write ${IN_PLACE}`];
  const files = FILES.filter((name) => parameters.has(name));
  if (files.length > 0 && mode !== "verify-full") return [`${files[0]} needs sslmode=verify-full`];
  if (parameters.has("sslcert") !== parameters.has("sslkey")) return ["sslcert and sslkey need each other"];
  if (parameters.get("sslrootcert") === "system") return ["without sslrootcert, the authorities of Node are accepted"];
  return files.flatMap((name) => findUnreadable(parameters.get(name) ?? "") ?? []);
}

/** The parameters of TLS that name files. */
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const;

const IN_PLACE =
  "sslmode=verify-full, and sslrootcert=<file> with the provider's authority unless Node knows it; or sslmode=disable";

function passwordProblems(parameters: URLSearchParams, password: string): string[] {
  const file = parameters.get("passwordfile");
  if (file === null) return [];
  const twice = password === "" ? [] : ["passwordfile cannot be set together with a password"];
  return [...twice, ...[findUnreadable(file) ?? []].flat()];
}
