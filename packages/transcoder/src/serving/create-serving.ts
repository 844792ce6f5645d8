import { renderError } from "../errors/render-error.ts";
import { createCors } from "../http/cors.ts";
import { createRouteTable } from "../matching/route-table.ts";
import { compileRoutes } from "../rules/compile-routes.ts";
import type { Route } from "../rules/route.ts";
import { createEnding } from "../streams/ending.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";
import { createEndpoints } from "./endpoint.ts";
import type { Plan } from "./plan.ts";
import { createReplyMetadata, createRequestMetadata, REPLY_METADATA, REQUEST_METADATA } from "./reply.ts";
import { createServe, type Serve } from "./serve.ts";

/** What the listeners share. */
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
    streams: { open: 0, most: options.maxStreams ?? 1_024, ending: createEnding() },
  };
  const cors = options.cors && createCors(options.cors);
  return { serve: createServe(plan, cors), routes, endStreams: plan.streams.ending.end };
}
