/** What a client adds to its calls. */
export interface CallSettings {
  /**
   * A security token, or a function that returns the current one, called before each try. A header `Authorization` of a
   * call replaces it.
   */
  readonly token?: string | (() => string | Promise<string>);
  /** Milliseconds for a unary call with all its tries, 1 to 30,000; 10,000 if absent. `timeoutMs` of a call replaces it. */
  readonly timeoutMs?: number;
  /** Tries of a call, the first included, 1 to 10; 5 if absent. */
  readonly maxTries?: number;
}

/** The longest deadline that the services accept. */
const MAX_TIMEOUT_MS = 30_000;
const MAX_TRIES = 10;

/** Returns the settings with their defaults. @throws RangeError for one out of its range */
export function completeSettings({ token, timeoutMs = 10_000, maxTries = 5 }: CallSettings) {
  assertWhole("timeoutMs", timeoutMs, MAX_TIMEOUT_MS);
  assertWhole("maxTries", maxTries, MAX_TRIES);
  return { token, timeoutMs, maxTries };
}

function assertWhole(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new RangeError(`${name} must be a whole number from 1 to ${most}, not ${value}`);
}
