import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

/** A request of node:http or node:http2, or of fetch in their form: the body is read from it. */
export interface HttpRequest extends Readable {
  readonly method?: string | undefined;
  /** The target, such as `/v1/books?page_size=5`. */
  readonly url?: string | undefined;
  /** By their names in lower case; several of one name are joined as node:http does. */
  readonly headers: IncomingHttpHeaders;
  /** Whether all of it has been received. */
  readonly complete: boolean;
}

/** Whether no body follows, so that there is no end to wait for. */
export function isBodiless(request: HttpRequest): boolean {
  // HTTP/2 needs neither header: a flag of the head says that nothing follows.
  if ("stream" in request) return (request.stream as { readonly endAfterHeaders?: boolean }).endAfterHeaders === true;
  const { headers } = request;
  // Without either there is no body (RFC 9112, 6.3).
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}
