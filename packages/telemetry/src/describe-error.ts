import { causesOf } from "./causes-of.ts";

/** Describes an error and its chain of causes in one line, for a log line; never for a reply. */
export function describeError(error: unknown): string {
  const messages = causesOf(error).flatMap((cause) =>
    cause instanceof Error ? [cause.message === "" ? cause.name : cause.message] : [],
  );
  return messages.length === 0 ? String(error) : messages.join(": ");
}
