import { fileURLToPath } from "node:url";

/** A protection removed for a control: one line of the product, found by its marker wherever it stands. */
export interface RemovedProtection {
  /** NAME of the comment `// protects: NAME`, in SQL `-- protects: NAME`, at the end of the line or alone above it. */
  readonly marker: string;
  /** Takes the place of the line, which is dropped if absent. */
  readonly instead?: string;
}

/** Returns the options that start a program without the protections. */
export function without(removed: readonly RemovedProtection[]): { preload: string[]; env: Record<string, string> } {
  if (removed.length === 0) return { preload: [], env: {} };
  const preload = [fileURLToPath(new URL("remove-protections.ts", import.meta.url))];
  return { preload, env: { REMOVED_PROTECTIONS: JSON.stringify(removed) } };
}
