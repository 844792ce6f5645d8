import type { TranscodingError } from "./transcoding-error.ts";

/** Returns the headers by which a response names what would have been accepted. */
export function errorHeaders({ kind, detail }: TranscodingError): Readonly<Record<string, string>> {
  const { allow = [], types = [], encodings = [], httpMethod } = detail;
  switch (kind) {
    case "method-not-allowed":
      return { Allow: allow.join(", ") };
    case "unsupported-media-type":
      return acceptHeaders(types.join(", "), httpMethod);
    case "unsupported-encoding":
      return { "Accept-Encoding": [...encodings, "identity"].join(", ") };
    default:
      return {};
  }
}

/** Accept by RFC 9110, 12.5.1; Accept-Post by LDP, 7.1; Accept-Patch by RFC 5789, 3.1. */
function acceptHeaders(types: string, httpMethod: string | undefined): Readonly<Record<string, string>> {
  if (httpMethod === "POST") return { Accept: types, "Accept-Post": types };
  if (httpMethod === "PATCH") return { Accept: types, "Accept-Patch": types };
  return { Accept: types };
}
