import { renderError } from "./errors/render-error.ts";
import { createCors } from "./http/cors.ts";
import { createFetchHandler, type FetchHandler } from "./listeners/fetch-handler.ts";
import { createRouteTable } from "./matching/route-table.ts";
import { compileRoutes } from "./rules/compile-routes.ts";
import type { Route } from "./rules/route.ts";
import { createEndpoints, type Plan } from "./serving/endpoint.ts";
import { createReplyMetadata, createRequestMetadata, REPLY_METADATA, REQUEST_METADATA } from "./serving/reply.ts";
import { createNodeListener, createServe, type RequestListener, type Serve } from "./serving/serve.ts";
import { createEnding } from "./streams/stream-messages.ts";
import type { TranscoderOptions } from "./transcoder-options.ts";

export interface Transcoder {
  /** The listener for `createServer` of node:http and node:http2, and for any other source of `request` events. */
  readonly listener: RequestListener;
  /** The handler for runtimes and frameworks that pass requests in the form of fetch. */
  readonly fetch: FetchHandler;
  /** Every route, in the order of the services and methods. */
  readonly routes: readonly Route[];
  /** Ends all server streams with UNAVAILABLE and refuses new ones, before the server is closed. */
  readonly endStreams: () => void;
}

/**
 * Creates a transcoder. @throws InvalidRules, with all faults, if a rule is invalid or ambiguous; TypeError or
 * RangeError for another option
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

/** The parts of a transcoder that its listeners share. */
export interface Serving {
  readonly serve: Serve;
  readonly routes: readonly Route[];
  readonly endStreams: () => void;
}

/** Computes everything that does not depend on a request. @throws what `createTranscoder` throws */
export function createServing(options: TranscoderOptions): Serving {
  const { hooks = {} } = options;
  const routes = compileRoutes(options.services, options);
  const passBack = createReplyMetadata(options.passBack ?? REPLY_METADATA);
  const plain = (error: unknown) => renderError(error, options.json?.registry, passBack);
  const plan: Plan = {
    options,
    hooks,
    table: createRouteTable(routes, options),
    endpoints: createEndpoints(routes, options),
    renderError: hooks.error ?? plain,
    forward: createRequestMetadata(options.forward ?? REQUEST_METADATA),
    passBack,
    streams: { open: 0, max: options.maxStreams ?? 1_024, ending: createEnding() },
  };
  const cors = options.cors && createCors(options.cors);
  return { serve: createServe(plan, cors), routes, endStreams: plan.streams.ending.end };
}
