import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

/**
 * Transforms TypeScript for jest as `node <file>.ts` does: types become spaces, so that lines and columns stay and no source
 * map is needed.
 */
// biome-ignore lint/style/noDefaultExport: jest takes a transformer by its default export
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  // Jest adds the path. What it instruments for coverage is stored by the same key.
  getCacheKey: (source, path, { instrument }) =>
    createHash("sha256")
      .update([process.version, String(instrument), path, source].join("\0"))
      .digest("hex")
      .slice(0, 32),
};
