import { renderError } from "./errors/render-error.ts";
import { createCors } from "./http/cors.ts";
import { createReplyMetadata, createRequestMetadata, REPLY_METADATA, REQUEST_METADATA } from "./http/metadata.ts";
import { createFetchHandler, type FetchHandler } from "./listeners/fetch-handler.ts";
import { createNodeListener, type RequestListener } from "./listeners/node-listener.ts";
import { createRouteTable } from "./matching/route-table.ts";
import { compileRoutes } from "./rules/compile-routes.ts";
import type { Route } from "./rules/route.ts";
import { createEndpoints } from "./serving/endpoint.ts";
import { createServe } from "./serving/serve.ts";
import type { Plan } from "./serving/transcode.ts";
import type { TranscoderCall, TranscoderOptions } from "./transcoder-options.ts";

export interface Transcoder {
  /** For `createServer` of node:http and node:http2, and anywhere else where `request` events are served. */
  readonly listener: RequestListener;
  /** For `checkContinue` events: a client that waits for 100 Continue receives it when its body is wanted. */
  readonly expectListener: RequestListener;
  /** For runtimes and frameworks that pass requests in the form of fetch. */
  readonly fetch: FetchHandler;
  /** Every route, in the order of the services and methods. */
  readonly routes: readonly Route[];
}

/**
 * Creates a transcoder. @throws InvalidRules, with all faults, if a rule is invalid or ambiguous; TypeError or RangeError
 * for another option
 */
export function createTranscoder(options: TranscoderOptions): Transcoder {
  const { hooks = {}, compression } = options;
  const routes = compileRoutes(options.services, options.rule);
  const passBack = createReplyMetadata(options.passBack ?? REPLY_METADATA);
  const plain = (error: unknown, { request }: TranscoderCall) =>
    renderError(error, request.headers.accept, options.json?.registry, passBack);
  const plan: Plan = {
    options,
    hooks,
    table: createRouteTable(routes, options),
    endpoints: createEndpoints(routes, options),
    renderError: hooks.error ?? plain,
    forward: createRequestMetadata(options.forward ?? REQUEST_METADATA),
    passBack,
    streams: { open: 0, most: options.maxStreams ?? 1_024 },
  };
  const cors = options.cors && createCors(options.cors);
  const serve = createServe(plan, { compression, cors });
  return {
    listener: createNodeListener(serve, false),
    expectListener: createNodeListener(serve, true),
    fetch: createFetchHandler(serve),
    routes,
  };
}
