import { fileURLToPath } from "node:url";

/**
 * Makes Node keep what it compiled, of TypeScript too, for the next start of the same program. A service took 0.5 s of
 * CPU until it had read its configuration with it, and 1.1 s without.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../../.cache/compiled", import.meta.url)),
} as const;
