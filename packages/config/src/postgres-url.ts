import type { z } from "zod";
import { findUnreadable } from "./file-settings.ts";
import { url } from "./settings.ts";

/** The parameters that name files. */
const FILES = ["sslrootcert", "sslcert", "sslkey"] as const;

/**
 * The URL of a Postgres server, with or without verified TLS. The other modes of `sslmode` mean something else in each
 * client, and in `pg` from version 9 on no verification; TLS that verifies nothing protects only from who just listens.
 */
export const postgresUrl = () => url("postgres", "postgresql").superRefine(checkTls);

function checkTls(text: string, context: z.RefinementCtx): void {
  if (!URL.canParse(text)) return;
  for (const problem of problemsOf(new URL(text).searchParams)) context.addIssue(problem);
}

function problemsOf(parameters: URLSearchParams): string[] {
  const mode = parameters.get("sslmode");
  if (mode !== null && mode !== "disable" && mode !== "verify-full") {
    return ["sslmode must be verify-full or disable"];
  }
  const ignored = ["ssl", "uselibpqcompat"].find((name) => parameters.has(name));
  if (ignored !== undefined) return [`the parameter ${ignored} is not accepted: use sslmode=verify-full`];
  const files = FILES.filter((name) => parameters.has(name));
  if (files.length > 0 && mode !== "verify-full") return [`${files[0]} needs sslmode=verify-full`];
  if (parameters.has("sslcert") !== parameters.has("sslkey")) return ["sslcert and sslkey need each other"];
  return files.flatMap((name) => findUnreadable(parameters.get(name) ?? "") ?? []);
}
