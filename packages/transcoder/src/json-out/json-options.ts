import type { Registry } from "@bufbuild/protobuf";

/** How replies are written. Whatever is absent is as ProtoJSON has it by default. */
export interface JsonOptions {
  /** A field without presence that has its default value; "omit" if absent. */
  readonly defaults?: "omit" | "write";
  /** "json" if absent. */
  readonly names?: "json" | "proto";
  /** "names" if absent. */
  readonly enums?: "names" | "numbers";
  /** Fractional digits of timestamps: 0, 3, 6 or 9, as many as are needed, or always 3; "exact" if absent. */
  readonly timestamps?: "exact" | "milliseconds";
  /** A timestamp that is absent, and of no oneof; "omit" if absent. */
  readonly absentTimestamps?: "omit" | "null";
  /** The types that google.protobuf.Any may hold; none if absent. */
  readonly registry?: Registry;
}

/** What the compiled writers write. */
export const COMPILED_FORM: JsonOptions = {
  defaults: "write",
  timestamps: "milliseconds",
  absentTimestamps: "null",
};

/** Whether replies are in the form that the compiled writers write. */
export function isCompiledForm({ defaults, names, enums, timestamps, absentTimestamps }: JsonOptions): boolean {
  return (
    defaults === "write" &&
    (names ?? "json") === "json" &&
    (enums ?? "names") === "names" &&
    timestamps === "milliseconds" &&
    absentTimestamps === "null"
  );
}
