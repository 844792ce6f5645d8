import { readFileSync } from "node:fs";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";

/** The OpenAPI document that the gateway serves. */
export const OPENAPI = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");

/** A document in which a validator has to find a fault. */
export const BROKEN_OPENAPI = OPENAPI.replace('"in": "path"', '"in": "nowhere"');

/** Reads the OpenAPI document that the gateway serves. */
export function readOpenapi(): OpenapiDocument {
  return JSON.parse(OPENAPI) as OpenapiDocument;
}
