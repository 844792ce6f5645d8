import { createFetchHandler, type FetchHandler } from "./listeners/fetch-handler.ts";
import type { Route } from "./rules/route.ts";
import { createServing } from "./serving/create-serving.ts";
import { createNodeListener, type RequestListener } from "./serving/serve.ts";
import type { TranscoderOptions } from "./transcoder-options.ts";

export interface Transcoder {
  /** For `createServer` of node:http and node:http2, and anywhere else where `request` events are served. */
  readonly listener: RequestListener;
  /** For runtimes and frameworks that pass requests in the form of fetch. */
  readonly fetch: FetchHandler;
  /** Every route, in the order of the services and methods. */
  readonly routes: readonly Route[];
  /** Ends all server streams with UNAVAILABLE and refuses new ones, before the server is closed. */
  readonly endStreams: () => void;
}

/**
 * Creates a transcoder. @throws InvalidRules, with all faults, if a rule is invalid or ambiguous; TypeError or RangeError
 * for another option
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const { serve, routes, endStreams } = createServing(options);
  return {
    listener: createNodeListener(serve),
    fetch: createFetchHandler(serve),
    routes,
    endStreams,
  };
}
