import { writeFileSync } from "node:fs";
import { buildDocument } from "../src/openapi/build-document.ts";
import { compileProtos } from "./compile-protos.ts";

// Writes gateway/openapi.json, which the gateway serves and a test compares with the proto files.
const document = buildDocument(compileProtos());
writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
