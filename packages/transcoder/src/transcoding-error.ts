/** The kind of an error in the form of a request, detected before any RPC is called. */
export type TranscodingErrorKind =
  | "invalid-json"
  | "invalid-parameter"
  | "repeated-parameter"
  | "body-too-large"
  | "unsupported-media-type"
  | "method-not-allowed"
  | "route-not-found"
  | "invalid-path";

export interface TranscodingErrorDetail {
  /** invalid-parameter, repeated-parameter: the query parameter, path variable or body field, by its JSON path. */
  readonly parameter?: string;
  /** invalid-parameter: what it accepts, as the continuation of "<parameter> must be". */
  readonly accepts?: string;
  /** invalid-json: the position, in UTF-16 code units from 0, if known. */
  readonly position?: number;
  /** method-not-allowed: the methods of the path, sorted. */
  readonly allow?: readonly string[];
  /** The name of the route's RPC, if a route was found. */
  readonly method?: string;
}

/** A request that cannot be converted into an RPC. The cause is always the client's request. */
export class TranscodingError extends Error {
  override readonly name = "TranscodingError";
  readonly kind: TranscodingErrorKind;
  readonly detail: TranscodingErrorDetail;

  constructor(kind: TranscodingErrorKind, detail: TranscodingErrorDetail = {}) {
    super(describe(kind, detail));
    this.kind = kind;
    this.detail = detail;
  }
}

/** Creates the error for a parameter, path variable or body field that its field does not accept. */
export function invalidParameter(parameter: string, accepts: string): TranscodingError {
  return new TranscodingError("invalid-parameter", { parameter, accepts });
}

/** A parameter or body field that is given twice, in one spelling or in two. */
export function repeatedParameter(parameter: string): TranscodingError {
  return new TranscodingError("repeated-parameter", { parameter });
}

function describe(kind: TranscodingErrorKind, detail: TranscodingErrorDetail): string {
  switch (kind) {
    case "invalid-json":
      return `request body is not valid JSON${detail.position === undefined ? "" : `: position ${detail.position}`}`;
    case "invalid-parameter":
      return `${detail.parameter} must be ${detail.accepts}`;
    case "repeated-parameter":
      return `${detail.parameter} must be given once`;
    case "body-too-large":
      return "request body is too large";
    case "unsupported-media-type":
      return "content type must be application/json";
    case "method-not-allowed":
      return "method not allowed";
    case "route-not-found":
      return "no such path";
    case "invalid-path":
      return "request path is not valid percent-encoded UTF-8";
  }
}
