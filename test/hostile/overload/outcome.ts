/** What came of one request, in milliseconds since the client began. */
export interface Outcome {
  readonly at: number;
  readonly ms: number;
  readonly status: number;
}

/** What came of all requests of a client. */
export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  /** Connections that the server closed. */
  readonly broken: number;
  readonly unanswered: number;
  /** Requests that found no free connection. */
  readonly unsent: number;
}
