import { parseArgs } from "node:util";
import { parseTextParameter } from "@cloud/contract";
import type { Secret } from "../tokens/secret.ts";
import { parseEmail } from "../users/user-rules.ts";
import { readTokenFile } from "./read-token-file.ts";

/** Thrown for an invalid command line, or a file of it that cannot be used. */
export class Usage extends Error {}

/** A parsed command line. */
export interface Arguments {
  readonly organization: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Undefined if one is to be made. */
  readonly secret: Secret | undefined;
  readonly dryRun: boolean;
}

/** @throws Usage */
export function readArguments(args: readonly string[]): "help" | Arguments {
  try {
    const values = parse(args);
    if (values.help || args.length === 0) return "help";
    const { "token-file": file } = values;
    return {
      organization: parseTextParameter("--organization", required("--organization", values.organization)),
      email: parseEmail(required("--email", values.email)),
      firstName: parseTextParameter("--first-name", values["first-name"] ?? ""),
      lastName: parseTextParameter("--last-name", values["last-name"] ?? ""),
      secret: file === undefined ? undefined : readTokenFile(required("--token-file", file)),
      dryRun: values["dry-run"] === true,
    };
  } catch (error) {
    throw new Usage(messageOf(error as Error));
  }
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const texts = { organization: text, email: text, "first-name": text, "last-name": text, "token-file": text };
  return parseArgs({ args: [...args], options: { ...texts, "dry-run": flag, help: flag } }).values;
}

function required(name: string, value = ""): string {
  if (value.trim() === "") throw new Error(`${name} is required`);
  return value;
}

/** The rules of requests throw errors of RPCs, whose `message` begins with a code. */
function messageOf(error: Error & { readonly rawMessage?: string }): string {
  return error.rawMessage ?? error.message.split("\n", 1)[0] ?? "";
}
