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
