import { readFileSync, writeFileSync } from "node:fs";
import { buildDocument } from "../src/openapi/build-document.ts";
import { compileProtos } from "./compile-protos.ts";

// Writes gateway/openapi.json, which the gateway serves; with --check only compares it with the proto files.
const target = new URL("../openapi.json", import.meta.url);
const text = `${JSON.stringify(buildDocument(compileProtos()), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  process.stderr.write("gateway/openapi.json is not what the proto files describe: run npm run generate\n");
  process.exitCode = 1;
}
