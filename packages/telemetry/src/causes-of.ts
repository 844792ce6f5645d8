/** Deeper chains come from loops. */
const MAX_DEPTH = 8;

/** Returns the error and its chain of causes, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && causes.length < MAX_DEPTH) {
    causes.push(current);
    current = typeof current === "object" && "cause" in current ? current.cause : undefined;
  }
  return causes;
}
