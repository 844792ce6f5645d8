import type { Recorder } from "./harness/figures.ts";
import type { Options } from "./options.ts";

/** A part of the benchmark: starts its programs, records its figures, and stops them. */
export type Part = (options: Options, recorder: Recorder) => Promise<void>;
