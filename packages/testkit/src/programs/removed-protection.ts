import { fileURLToPath } from "node:url";

/** A protection removed for a control: text in a source file of the project, and its replacement. */
export interface RemovedProtection {
  /** Relative to the root of the project. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Returns the options that start a program without the protections. */
export function without(removed: readonly RemovedProtection[]): { preload: string[]; env: Record<string, string> } {
  if (removed.length === 0) return { preload: [], env: {} };
  const preload = [fileURLToPath(new URL("remove-protections.ts", import.meta.url))];
  return { preload, env: { REMOVED_PROTECTIONS: JSON.stringify(removed) } };
}
