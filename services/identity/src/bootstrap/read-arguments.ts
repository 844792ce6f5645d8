import { closeSync, openSync, readSync } from "node:fs";
import { parseArgs } from "node:util";
import { hasTokenForm } from "@cloud/access/principal";
import { parseTextParameter } from "@cloud/access/values";
import { Usage } from "@cloud/service";
import { type Secret, secretOf } from "../tokens/secret.ts";
import { parseEmail } from "../users/rules.ts";

/** A parsed command line. */
export interface Arguments {
  readonly organization: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  /** The secret in the file; undefined if one is to be generated. */
  readonly secret: Secret | undefined;
  readonly dryRun: boolean;
}

/** Parses the arguments, and reads the file of the token. @throws Usage */
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

/** Returns the text of an error. The rules of requests throw errors of RPCs, whose `message` begins with a code. */
function messageOf(error: Error & { readonly rawMessage?: string }): string {
  return error.rawMessage ?? error.message.split("\n", 1)[0] ?? "";
}

/** Reads a token's secret from a file. @throws Error that names the file, and never its contents. */
function readTokenFile(path: string): Secret {
  const text = readStart(path).trim();
  if (!hasTokenForm(text)) {
    throw new Error(
      `the file ${path} must contain a token: cst_ and 43 characters of base64url, such as printf 'cst_%s' "$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=')" prints`,
    );
  }
  return secretOf(text);
}

/** The bytes that are read of the file. A token has 47 characters; space around it is ignored. */
const MAX_BYTES = 1_024;

function readStart(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(MAX_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}

/** The output of `--help`. */
export const HELP = `Creates the first organization, its first Provider Admin, and a token of theirs, in one transaction.

  node services/identity/src/operator.ts bootstrap --organization <name> --email <address> [...]

  --organization <name>   the name of the organization
  --email <address>       of the Provider Admin, who is also its Org Admin; a user who exists is taken as they are
  --first-name <name>     of a user who is created
  --last-name <name>      likewise
  --token-file <path>     a file that contains the secret of the token: cst_ and 43 characters of base64url. Without it,
                          a secret is made and printed, once, by the run that creates the Provider Admin
  --dry-run               print what would be done, and change nothing
  --json                  print the result as one object of JSON, with the secret if one is made
  --help                  print this

It may run any number of times, also at once. If the user is a Provider Admin of that organization already, nothing changes,
except that a token in the file that is not stored yet becomes a token of theirs: so it can be replaced. With another email
or name while there is a Provider Admin, it changes nothing and fails: that user creates whatever is missing.

Exit code: 0 done, or nothing to do; 1 not done; 2 wrong arguments, or an unusable file.

It reads DATABASE_URL, with the program's role, and needs no other program; the schema must be migrated. In Kubernetes see
deploy/base/bootstrap.`;
