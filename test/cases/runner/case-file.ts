/** The contents of one file of `cases/`: the cases of one operation of the specification. */
export interface CaseFile {
  /** The file's name, such as `assign-environment.yaml`. */
  readonly file: string;
  /** The operation as the specification writes it: `POST /workspaces/{id}/teams/{teamId}`. */
  readonly operation: string;
  /** The method by RPC: `workspace.v1.WorkspaceService/AssignTeam`. */
  readonly rpc: string;
  readonly cases: readonly Case[];
}

export const SURFACES = ["rest", "rpc"] as const;
export type Surface = (typeof SURFACES)[number];

export interface Case {
  readonly name: string;
  /** Rows of the specification, such as `3.2`. */
  readonly proves: readonly string[];
  readonly given: readonly Given[];
  /** The caller: a demo user, a user of `given`, `anonymous`, `revoked` or `service`. */
  readonly as: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The RPC's request in proto3 JSON; the REST request is derived from it if `rest` is absent. */
  readonly request: Mapping | undefined;
  readonly rest: RestRequest | undefined;
  readonly surfaces: readonly Surface[];
  /**
   * Whether the expected result is produced by an event, a moment later: the call is repeated until then. For reads
   * only.
   */
  readonly eventually: boolean;
  readonly expect: Expectation;
  /** The log lines that the operation appends, in order; undefined if they are not checked. */
  readonly events: readonly ExpectedEvent[] | undefined;
  /** The variable with the id of the workspace whose log it is; `reply` is the returned record. */
  readonly log: string;
}

/** `assign team success`, or some fields of the event. */
export type ExpectedEvent = string | Mapping;

/** A step of what is given, by its kind: what the kind creates or changes, and the step's other keys. */
export interface Given {
  readonly kind: string;
  readonly value: unknown;
  readonly options: Mapping;
}

export interface RestRequest {
  readonly method: string;
  /** The path after `/api`. */
  readonly path: string;
  /** A text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** Instead of a body: its bytes, in hexadecimal. */
  readonly bytes?: string;
  readonly contentType?: string;
}

export interface Expectation {
  /** The status of the REST response. */
  readonly status: number;
  /** Headers of the REST response, by name. */
  readonly headers: Mapping;
  readonly body: unknown;
  /** The text and the reason of a failure, both or neither. */
  readonly error: string | undefined;
  readonly code: string | undefined;
  /** The Connect code by name, if the case specifies it; otherwise the catalogue's for `code`. */
  readonly rpc: string | undefined;
}

export type Mapping = Readonly<Record<string, unknown>>;
