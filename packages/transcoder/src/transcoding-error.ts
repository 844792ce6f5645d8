/** What is wrong with the form of a request, before any RPC is called. */
export type TranscodingErrorKind =
  | "invalid-json"
  | "invalid-parameter"
  | "body-too-large"
  | "unsupported-media-type"
  | "method-not-allowed"
  | "route-not-found"
  | "invalid-path";

export interface TranscodingErrorDetail {
  /** invalid-parameter: the query parameter, path variable or body field, by its JSON path. */
  readonly parameter?: string;
  /** invalid-parameter: what it accepts; reads on from "<parameter> must be". */
  readonly accepts?: string;
  /** invalid-json: where, in UTF-16 code units from 0, if known. */
  readonly position?: number;
  /** method-not-allowed: the methods that the path answers, sorted. */
  readonly allow?: readonly string[];
  /** The RPC that the route leads to, by name, if a route was found. */
  readonly method?: string;
}

/** A request that cannot be made into an RPC. The fault is always the client's. */
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

/** A parameter, path variable or body field that is not what its field accepts. */
export function invalidParameter(parameter: string, accepts: string): TranscodingError {
  return new TranscodingError("invalid-parameter", { parameter, accepts });
}

function describe(kind: TranscodingErrorKind, detail: TranscodingErrorDetail): string {
  switch (kind) {
    case "invalid-json":
      return `request body is not valid JSON${detail.position === undefined ? "" : `: position ${detail.position}`}`;
    case "invalid-parameter":
      return `${detail.parameter} must be ${detail.accepts}`;
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
