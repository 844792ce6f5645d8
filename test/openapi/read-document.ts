import { readFileSync } from "node:fs";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";

/** Reads the OpenAPI document that the gateway serves. */
export function readOpenapi(): OpenapiDocument {
  return JSON.parse(readFileSync(new URL("../../gateway/openapi.json", import.meta.url), "utf8")) as OpenapiDocument;
}
