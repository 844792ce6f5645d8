import { TranscodingError, type Violation, violationOf } from "../errors/transcoding-error.ts";
import type { BindingOptions } from "./binding-options.ts";

/** The most violations that one error reports: a body of 1 MiB can have 100,000. */
const MAX_VIOLATIONS = 100;

/** The options by which a request is read, and the violations found so far. */
export class Reading {
  readonly options: BindingOptions;
  readonly #violations: Violation[] = [];
  #first: TranscodingError | undefined;

  constructor(options: BindingOptions) {
    this.options = options;
  }

  /**
   * Returns what `read` returns, or undefined if it throws a violation, which is kept for `assertSound`. Throws all of them
   * at the hundredth.
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
