/** The error with its chain of causes in one line, for a log line; never for an answer. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < 5) {
    parts.push(current.message === "" ? current.name : current.message);
    current = current.cause;
  }
  return parts.length === 0 ? String(error) : parts.join(": ");
}
