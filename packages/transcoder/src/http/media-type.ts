import type { IncomingHttpHeaders } from "node:http";
import { TranscodingError } from "../errors/transcoding-error.ts";

/**
 * Refuses a body that is not declared as plain application/json in UTF-8. A body without a declaration is treated as
 * JSON. Throws a TranscodingError of kind unsupported-media-type.
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter)) ?? "charset=utf-8";
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  const plain = ["", "application/json"].includes(type) && /^charset\s*=\s*"?utf-?8"?$/.test(charset);
  if (!plain || !["", "identity"].includes(encoding)) throw new TranscodingError("unsupported-media-type");
}
