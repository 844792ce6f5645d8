/** The outcome of a request, in milliseconds since the client began. */
export interface Outcome {
  readonly at: number;
  readonly ms: number;
  readonly status: number;
}

/** The outcomes of all requests of a client. */
export interface Outcomes {
  readonly outcomes: readonly Outcome[];
  /** Connections that the server closed. */
  readonly broken: number;
  readonly unanswered: number;
  /** Requests that found no free connection. */
  readonly unsent: number;
}
