import { renameSync } from "node:fs";

// Puts back the package.json that prepack.ts replaced.
renameSync("package.source.json", "package.json");
