import type { IncomingHttpHeaders } from "node:http";
import { TranscodingError } from "../errors/transcoding-error.ts";

/** Which types of a body are JSON: application/json only, or also those that end in +json (RFC 6839). */
export type JsonTypes = "plain" | "suffix";

/**
 * Refuses a body that is not declared as JSON in UTF-8. A body without a declaration is treated as JSON. Throws a
 * TranscodingError of kind unsupported-media-type.
 */
export function requireJson(headers: IncomingHttpHeaders, httpMethod: string, types: JsonTypes): void {
  const declared = headers["content-type"];
  if (declared === undefined || declared === JSON_TYPE) return;
  const [type = "", ...parameters] = declared
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter)) ?? "charset=utf-8";
  const isJson =
    type === "" || type === JSON_TYPE || (types === "suffix" && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(type));
  if (!isJson || !/^charset\s*=\s*"?utf-?8"?$/.test(charset)) {
    throw new TranscodingError("unsupported-media-type", { types: [JSON_TYPE], httpMethod });
  }
}

export const JSON_TYPE = "application/json";
