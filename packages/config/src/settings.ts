import * as z from "zod";

/** A whole number within a range. */
export const whole = (least: number, most: number, error = `must be a whole number from ${least} to ${most}`) =>
  z.coerce.number({ error }).int(error).min(least, error).max(most, error);

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

/** Returns a check that none of these parts is in a URL. In `http://host/?` the query is there, though it is empty. */
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

/** One or more NATS servers, separated by commas. */
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
