import { fileURLToPath } from "node:url";

/** A protection that a control takes away: text in a source file of the project, and what stands in its place. */
export interface RemovedProtection {
  /** From the top of the project. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** What a program is started with so that it runs without the protections. */
export function without(removed: readonly RemovedProtection[]): { preload: string[]; env: Record<string, string> } {
  if (removed.length === 0) return { preload: [], env: {} };
  const preload = [fileURLToPath(new URL("remove-protections.ts", import.meta.url))];
  return { preload, env: { REMOVED_PROTECTIONS: JSON.stringify(removed) } };
}
