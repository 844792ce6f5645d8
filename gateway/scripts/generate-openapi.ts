import { readFileSync, writeFileSync } from "node:fs";
import { stringify } from "yaml";
import { compileProtos } from "./compile-protos.ts";
import { buildDocument } from "./openapi/build-document.ts";

// Writes gateway/openapi.json and .yaml, which the gateway serves; with --check only compares them with the proto
// files.
const document = buildDocument(compileProtos());
// Words that YAML 1.1 reads as something else, such as `on`, are quoted.
const asYaml = { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 0 } as const;
const texts = { "openapi.json": `${JSON.stringify(document, null, 2)}\n`, "openapi.yaml": stringify(document, asYaml) };

for (const [name, text] of Object.entries(texts)) {
  const target = new URL(`../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
  } else if (readFileSync(target, "utf8") !== text) {
    process.stderr.write(`gateway/${name} is not what the proto files describe: run npm run generate\n`);
    process.exitCode = 1;
  }
}
