import { namesIn, type Place, partOf, placeText, type RequestPart } from "../binding/place.ts";

/** The kind of an error in the form of a request, detected before any RPC is called. */
export type TranscodingErrorKind =
  | "invalid-json"
  | "invalid-parameter"
  | "repeated-parameter"
  | "unknown-parameter"
  | "unexpected-body"
  | "query-too-long"
  | "body-too-large"
  | "unsupported-media-type"
  | "unsupported-encoding"
  | "invalid-encoding"
  | "invalid-header"
  | "method-not-allowed"
  | "route-not-found"
  | "invalid-path";

export interface TranscodingErrorDetail {
  /** The query parameter, path variable or body field of a violation, by its JSON path. invalid-header: the header. */
  readonly parameter?: string;
  /** invalid-parameter, invalid-header: what it accepts, as the continuation of "<parameter> must be". */
  readonly accepts?: string;
  /** unknown-parameter: the fields that it may have meant. */
  readonly nearest?: readonly string[];
  /** The place of a violation in the request. */
  readonly place?: Place;
  /** All violations of the request, this one first, if its fields were read; at most 100. */
  readonly violations?: readonly Violation[];
  /**
   * invalid-json, and a key that an object of the body has twice: the position, in UTF-16 code units from 0, if known.
   */
  readonly position?: number;
  /** query-too-long: the limit, in characters. */
  readonly limit?: number;
  /** method-not-allowed: the methods of the path, sorted. */
  readonly allow?: readonly string[];
  /** unsupported-media-type: what the body may be. */
  readonly types?: readonly string[];
  /** unsupported-encoding: what the body may be encoded with. invalid-encoding: what it is not. */
  readonly encodings?: readonly string[];
  /** unsupported-media-type: the method of the request. */
  readonly httpMethod?: string;
  /** The name of the route's RPC, if a route was found. */
  readonly method?: string;
}

/** A value of a request that its field does not accept, or a name that is unknown or given twice. */
export interface Violation {
  readonly in: RequestPart;
  /** The JSON path of the field, such as `book.authors[0]`. */
  readonly field: string;
  /** A sentence, beginning with the field. */
  readonly description: string;
  /** The names and indexes that lead to it, as sent. */
  readonly path: readonly (string | number)[];
  /** The line and column, from 1, at which the value begins in a body; columns are UTF-16 code units. */
  readonly line?: number;
  readonly column?: number;
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

/** Creates the error for a value that its field does not accept. */
export function invalidParameter(place: Place, accepts: string): TranscodingError {
  return new TranscodingError("invalid-parameter", { parameter: placeText(place), accepts, place });
}

/** Creates the error for a parameter or body field that is given twice, in one spelling or in two. */
export function repeatedParameter(place: Place): TranscodingError {
  return new TranscodingError("repeated-parameter", { parameter: placeText(place), place });
}

/** Creates the error for a parameter or body field of an unknown name; `nearest` are fields that it may have meant. */
export function unknownParameter(place: Place, nearest: readonly Place[]): TranscodingError {
  return new TranscodingError("unknown-parameter", {
    parameter: placeText(place),
    nearest: nearest.map(placeText),
    place,
  });
}

/** Returns the violation that an error reports; undefined for another error, and for one that lists several. */
export function violationOf({ message, detail }: TranscodingError): Violation | undefined {
  const { place, parameter = "", violations } = detail;
  if (place === undefined || violations !== undefined) return undefined;
  return { in: partOf(place), field: parameter, description: message, path: namesIn(place, "sent") };
}

function describe(kind: TranscodingErrorKind, detail: TranscodingErrorDetail): string {
  switch (kind) {
    case "invalid-json":
      return `request body is not valid JSON${detail.position === undefined ? "" : `: position ${detail.position}`}`;
    case "invalid-parameter":
      return `${detail.parameter} must be ${detail.accepts}`;
    case "repeated-parameter":
      return `${detail.parameter} must be given once`;
    case "unknown-parameter":
      return `${detail.parameter} is unknown${nearestText(detail.nearest ?? [])}`;
    case "unexpected-body":
      return "request must have no body";
    case "query-too-long":
      return `query string must have at most ${detail.limit} characters`;
    case "body-too-large":
      return "request body is too large";
    case "unsupported-media-type":
      return `content type must be ${(detail.types ?? []).join(" or ")}`;
    case "unsupported-encoding":
      return `content encoding must be ${[...(detail.encodings ?? []), "identity"].join(" or ")}`;
    case "invalid-encoding":
      return `request body is not valid ${(detail.encodings ?? []).join(" or ")}`;
    case "invalid-header":
      return `header ${detail.parameter} must be ${detail.accepts}`;
    case "method-not-allowed":
      return "method not allowed";
    case "route-not-found":
      return "no such path";
    case "invalid-path":
      return "request path is not valid percent-encoded UTF-8";
  }
}

function nearestText(nearest: readonly string[]): string {
  return nearest.length === 0 ? "" : `: did you mean ${nearest.join(" or ")}?`;
}
