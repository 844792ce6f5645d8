export interface Readiness {
  readonly ready: boolean;
  /** The lines of `/readyz`, followed by the conditions that require an operator. */
  readonly lines: readonly string[];
}

/** While the program starts: it waits for Postgres, migrates, or opens its port. */
export const STARTING: Readiness = { ready: false, lines: ["starting"] };
