import { renameSync } from "node:fs";

// Puts back the package.json that prepack.ts replaced.
const folder = new URL("../", import.meta.url);
renameSync(new URL("package.source.json", folder), new URL("package.json", folder));
