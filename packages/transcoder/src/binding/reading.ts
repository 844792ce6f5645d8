import type { DescField, Registry } from "@bufbuild/protobuf";
import { TranscodingError, type Violation, violationOf } from "../errors/transcoding-error.ts";

/** The rules by which the fields of a request are read. An absent option is strict. */
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
  /**
   * The segments `.` and `..`, escaped or not, in a variable of several segments: refused, or passed on in its value,
   * to a service that does not take that for a path; "refuse" if absent.
   */
  readonly dotSegments?: "refuse" | "pass";
  /** A body where the rule has none; "refuse" if absent. */
  readonly unboundBody?: "refuse" | "ignore";
  /** Whether a query parameter also matches a name in another case; "exact" if absent. */
  readonly parameterNames?: "exact" | "any-case";
  /**
   * Fields whose integers in a query are taken as the nearest within the range of their type, such as the size of a
   * page, which has a limit of its own; none if absent. Any other integer is exact or refused.
   */
  readonly nearestIntegers?: (field: DescField) => boolean;
  /**
   * A whole number, in whatever notation, in google.protobuf.Struct, ListValue or Value: taken as the nearest double,
   * or refused if it would be read back as another one; "nearest" if absent. One beyond the range of a double is always
   * refused.
   */
  readonly structIntegers?: "nearest" | "exact";
  /**
   * Whether the paths of a google.protobuf.FieldMask, in a query as in a body, are lowerCamel, as ProtoJSON has it, or
   * also as proto spells them, which gRPC-Gateway expects in queries; "camel" if absent.
   */
  readonly fieldMasks?: "camel" | "any";
  /** Whether a query parameter without a value counts as absent, whatever its name; "bind" if absent. */
  readonly emptyParameters?: "bind" | "ignore";
  /** The types that google.protobuf.Any may hold; none if absent. */
  readonly registry?: Registry;
  readonly queryLimits?: Partial<QueryLimits>;
  /** The deepest nesting of objects and arrays in JSON, from 1 to 1,000; 64 if absent. */
  readonly jsonDepth?: number;
  /**
   * The same within a google.protobuf.Struct, ListValue or Value; from 1 to 500; `jsonDepth`, at most 500, if absent.
   */
  readonly structDepth?: number;
}

export interface QueryLimits {
  /** The most parameters; 1,000 if absent. */
  readonly count: number;
  /** The most fields and keys in one name, such as 3 in `a.b[c]`; 32 if absent. */
  readonly depth: number;
  /** The longest query string, in characters as sent; 65,536 if absent. */
  readonly length: number;
}

export const QUERY_LIMITS: QueryLimits = { count: 1_000, depth: 32, length: 65_536 };

/** The options by which a request is read, and the violations found so far. */
export class Reading {
  readonly options: BindingOptions;
  readonly #violations: Violation[] = [];
  #first: TranscodingError | undefined;

  constructor(options: BindingOptions) {
    this.options = options;
  }

  /**
   * Returns what `read` returns, or undefined if it throws a violation, which is kept for `assertSound`. Throws all of
   * them at the hundredth.
   */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const violation = error instanceof TranscodingError ? violationOf(error) : undefined;
      if (violation === undefined) throw error;
      this.#first ??= error as TranscodingError;
      this.#violations.push(violation);
      if (this.#violations.length >= MAX_VIOLATIONS) this.assertSound();
      return undefined;
    }
  }

  /** @throws TranscodingError, the first violation, with all of them in its detail */
  assertSound(): void {
    if (this.#first === undefined) return;
    throw new TranscodingError(this.#first.kind, { ...this.#first.detail, violations: this.#violations });
  }
}

/** The most violations that one error reports: a body of 1 MiB can have 100,000. */
const MAX_VIOLATIONS = 100;
