import { closeSync, openSync, readSync } from "node:fs";
import { hasTokenForm } from "@cloud/contract";
import { type Secret, secretOf } from "../tokens/secret.ts";

/** A token has 47 characters; space around it is ignored. */
const MOST_BYTES = 1_024;

/** Reads a token's secret from a file. @throws Error that names the file, and never what is in it. */
export function readTokenFile(path: string): Secret {
  const text = readStart(path).trim();
  if (!hasTokenForm(text)) {
    throw new Error(
      `the file ${path} must contain a token: cst_ and 43 characters of base64url, such as printf 'cst_%s' "$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=')" prints`,
    );
  }
  return secretOf(text);
}

function readStart(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MOST_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}
