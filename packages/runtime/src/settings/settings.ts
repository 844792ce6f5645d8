import * as z from "zod";

/** Thrown for an unusable environment; `problems` contains a line for each invalid variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/**
 * Reads the variables in `shape`, each by its zod type, into a frozen object with the same keys.
 *
 * An empty variable counts as absent, because Kubernetes and shells represent "not set" that way.
 *
 * @throws ConfigError that lists every missing or malformed variable at once, never its value (it may be a secret).
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const set = Object.fromEntries(Object.keys(shape).map((name) => [name, env[name] === "" ? undefined : env[name]]));
  const result = z.object(shape).safeParse(set);
  if (!result.success) {
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  }
  return Object.freeze(result.data);
}

/** A whole number within a range. */
export const whole = (min: number, max: number, error = `must be a whole number from ${min} to ${max}`) =>
  z.coerce.number({ error }).int(error).min(min, error).max(max, error);

/** A TCP port; 0 lets the system choose a free one. */
export const port = (fallback: number) => whole(0, 65_535).default(fallback);

/** An absolute URL with one of the given schemes (without the colon). */
export const url = (...schemes: readonly string[]) =>
  z
    .string({ error: "is required" })
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
      error: `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
      abort: true,
    });

/** An http or https URL without what the programs that read it would drop in silence. */
export const httpUrl = () =>
  url("http", "https").refine(hasNone("username", "password", "search", "hash"), {
    error: "must have no login, query or fragment",
    abort: true,
  });

/** The URL of a service: a scheme, a host and a port. */
export const peerUrl = () =>
  httpUrl().refine((text) => new URL(text).pathname === "/", {
    error: "must have no path: a service has its RPCs at the root",
  });

/** Returns a check that a URL has none of these parts. In `http://host/?` the query is there, though it is empty. */
function hasNone(...parts: readonly ("username" | "password" | "search" | "hash")[]): (text: string) => boolean {
  return (text) => parts.every((part) => new URL(text)[part] === "") && !/[?#]$/.test(text);
}

/** A secret of at least 16 characters. White space around it is dropped: files and shells add it. */
export const secret = () =>
  z
    .string({ error: "is required" })
    .trim()
    .min(16, "must have at least 16 characters")
    .regex(/^[!-+\--~]*$/, "must be printable ASCII without spaces and commas");

/** The level of a program's log. */
export const logLevel = () =>
  z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], { error: "must be a level of pino" })
    .default("info");

/** A duration in milliseconds: at least 100, at most a day. */
export const milliseconds = (fallback: number) => whole(100, 86_400_000).default(fallback);

/** Replicas of the stream in a JetStream cluster. */
export const replicas = () => whole(1, 5).default(1);

/** The address to listen on; all addresses of IPv6 and IPv4 by default. */
export const host = () => z.string().default("::");

/** NATS servers, separated by commas; at least one. */
export const natsServers = () =>
  z
    .string({ error: "is required" })
    .refine((text) => text.split(",").every((part) => URL.canParse(part.trim()) && /^(nats|tls):/.test(part.trim())), {
      error: "must be URLs that start with nats:// or tls://, separated by commas",
      abort: true,
    })
    .refine((text) => text.split(",").every((part) => hasNoMore(part.trim())), {
      error: "must have no path, query or fragment",
    });

function hasNoMore(text: string): boolean {
  return hasNone("search", "hash")(text) && /^\/?$/.test(new URL(text).pathname);
}

/** A limit that is at least 1. */
export const count = (fallback: number) =>
  z.coerce
    .number({ error: "must be a whole number from 1" })
    .int("must be a whole number from 1")
    .min(1, "must be a whole number from 1")
    .default(fallback);

/** A limit on work in flight: a number, or `auto`, which finds it from the latency of the work. */
export const inFlightLimit = () =>
  z
    .union([z.literal("auto"), z.coerce.number().int().min(1).max(100_000)], {
      error: "must be auto, or a number from 1 to 100000",
    })
    .default("auto");

/** The origins of `CORS_ORIGINS`, separated by commas, or `*` for all; undefined for none. */
export const corsOrigins = () =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((origin) => origin.trim() || []))
    .refine((origins) => origins.every(isOrigin) || (origins.length === 1 && origins[0] === "*"), {
      error: "must be * or whole origins such as https://app.example.com, separated by commas",
    })
    .transform((origins) => (origins[0] === "*" ? "*" : origins.length === 0 ? undefined : origins));

/**
 * Returns whether a text is a whole origin, as a browser sends it. It is compared as text: a pattern such as
 * https://*.example.com never matches.
 */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:\/\/[^*]+$/.test(text);
}

/** A secret with the name of its holder. */
export interface Credential<Name extends string> {
  readonly name: Name;
  readonly secret: string;
}

/**
 * Accepted credentials, as `name:secret` separated by commas. A name may have several, so that one can be replaced
 * without a pause. No problem that it reports contains a part of the text.
 */
export const credentials = <Name extends string>(...names: readonly Name[]) =>
  z.string({ error: "is required" }).transform((text, context): readonly Credential<Name>[] => {
    const read = text.split(",").map((entry) => readEntry(names, entry));
    for (const [index, entry] of read.entries()) {
      const problem = typeof entry === "string" ? entry : repetition(read.slice(0, index), entry);
      if (problem !== undefined) context.addIssue(`entry ${index + 1} ${problem}`);
    }
    return read.filter((entry) => typeof entry !== "string");
  });

/** Returns the credential, or what is wrong with it. */
function readEntry<Name extends string>(names: readonly Name[], entry: string): Credential<Name> | string {
  const colon = entry.indexOf(":");
  const name = names.find((known) => known === entry.slice(0, Math.max(colon, 0)).trim());
  if (name === undefined) return `must be <name>:<secret> with one of the names ${names.join(", ")}`;
  const { data, error } = secret().safeParse(entry.slice(colon + 1));
  return data === undefined ? (error?.issues[0]?.message ?? "") : { name, secret: data };
}

/** Returns the problem of a secret that another name has as well: it would not identify the caller. */
function repetition<Name extends string>(
  earlier: readonly (Credential<Name> | string)[],
  { name, secret: text }: Credential<Name>,
): string | undefined {
  const same = earlier.findIndex((other) => typeof other !== "string" && other.name !== name && other.secret === text);
  return same < 0 ? undefined : `has the secret of entry ${same + 1}, which has another name`;
}
