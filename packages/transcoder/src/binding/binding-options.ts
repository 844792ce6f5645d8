import type { Registry } from "@bufbuild/protobuf";

/** How the fields of a request are read. Whatever is absent is strict. */
export interface BindingOptions {
  /** A query parameter that names no field, or one of the body; "refuse" if absent. */
  readonly unknownParameters?: "refuse" | "ignore";
  /** A name in a JSON object that its message does not have; "refuse" if absent. */
  readonly unknownFields?: "refuse" | "ignore";
  /**
   * A value in the query or the body that differs from that in the path; "refuse" if absent. Neither replaces the value
   * in the path.
   */
  readonly pathConflicts?: "refuse" | "ignore";
  /** A body where the rule has none; "refuse" if absent. */
  readonly unboundBody?: "refuse" | "ignore";
  /** Whether a query parameter also matches a name in another case; "exact" if absent. */
  readonly parameterNames?: "exact" | "any-case";
  /** A 64-bit integer beyond its range: refused, or taken as the nearest within it; "refuse" if absent. */
  readonly largeIntegers?: "refuse" | "nearest";
  /**
   * Half of a surrogate pair in JSON of any form, such as google.protobuf.Struct: refused, or U+FFFD on the wire; "refuse"
   * if absent. It is always refused in other texts.
   */
  readonly loneSurrogates?: "refuse" | "replace";
  /** The types that google.protobuf.Any may hold; none if absent. */
  readonly registry?: Registry;
  readonly queryLimits?: Partial<QueryLimits>;
  /** The deepest nesting of objects and arrays in JSON, from 1 to 1,000; 64 if absent. */
  readonly jsonDepth?: number;
}

export interface QueryLimits {
  /** Of parameters; 1,000 if absent. */
  readonly count: number;
  /** Of fields and keys in one name, such as 3 in `a.b[c]`; 32 if absent. */
  readonly depth: number;
  /** Of the query string, in characters as sent; 65,536 if absent. */
  readonly length: number;
}

export const QUERY_LIMITS: QueryLimits = { count: 1_000, depth: 32, length: 65_536 };
