import { z } from "zod";

/** A TCP port; 0 lets the system choose a free one. */
export const port = (fallback: number) =>
  z.coerce
    .number({ error: "must be a port number" })
    .int("must be a port number")
    .min(0, "must be 0 to 65535")
    .max(65535, "must be 0 to 65535")
    .default(fallback);

/** An absolute URL with one of the schemes given (without the colon). */
export const url = (...schemes: readonly string[]) =>
  z
    .string({ error: "is required" })
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
      error: `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
    });

/** A secret of at least 16 characters. */
export const secret = () => z.string({ error: "is required" }).min(16, "must have at least 16 characters");

/** Comma-separated secrets, possibly none. */
export const secretList = () =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((part) => part !== ""));

/** How much a program logs. */
export const logLevel = () =>
  z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], { error: "must be a level of pino" })
    .default("info");

/** A span of time in milliseconds: at least 100, at most a day. */
export const milliseconds = (fallback: number) =>
  z.coerce
    .number({ error: "must be a number of milliseconds" })
    .int("must be a whole number of milliseconds")
    .min(100, "must be 100 to 86400000")
    .max(86_400_000, "must be 100 to 86400000")
    .default(fallback);

/** Copies of the stream in a JetStream cluster. */
export const replicas = () =>
  z.coerce
    .number({ error: "must be 1 to 5" })
    .int("must be 1 to 5")
    .min(1, "must be 1 to 5")
    .max(5, "must be 1 to 5")
    .default(1);

/** The address to listen on; all of them by default. */
export const host = () => z.string().default("0.0.0.0");

/** One NATS server or several, separated by commas. */
export const natsServers = () =>
  z
    .string({ error: "is required" })
    .refine((text) => text.split(",").every((part) => URL.canParse(part.trim()) && /^(nats|tls):/.test(part.trim())), {
      error: "must be URLs that start with nats:// or tls://, separated by commas",
    });
