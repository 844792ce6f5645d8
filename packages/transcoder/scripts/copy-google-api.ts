import { cpSync, rmSync } from "node:fs";

// `npm pack` runs this first: it adds the proto files that rules are written with.
const folder = new URL("../", import.meta.url);
rmSync(new URL("proto", folder), { recursive: true, force: true });
cpSync(new URL("../../proto/vendor/google/api", folder), new URL("proto/google/api", folder), { recursive: true });
