import { bodiless } from "./bodiless.ts";
import type { Flood } from "./flood.ts";
import { continuation, emptyData, pings, priorities, settings } from "./frame-floods.ts";
import { heldBytes } from "./held-bytes.ts";
import { largeBodiesAtGateway, largeBodiesAtService } from "./large-bodies.ts";
import { pages } from "./pages.ts";
import {
  pipelinedBy128,
  pipelinedBy128AtService,
  pipelinedBy400,
  pipelinedCalls1m,
  pipelinedCalls165k,
  pipelinedReadyz1m,
  pipelinedReadyz165k,
  pipelinedUnknown1m,
  pipelinedUnknown165k,
} from "./pipelined.ts";
import { rapidReset } from "./rapid-reset.ts";
import { reflection, zeroWindow } from "./reflection.ts";
import { slowAtGateway, slowAtService, slowOverHttp2 } from "./slow-clients.ts";
import { watches } from "./watches.ts";

/** The run `floods`. */
export const FLOODS = {
  "held-bytes": heldBytes,
  "pipelined-readyz-165k": pipelinedReadyz165k,
  "pipelined-readyz-1m": pipelinedReadyz1m,
  "pipelined-unknown-165k": pipelinedUnknown165k,
  "pipelined-unknown-1m": pipelinedUnknown1m,
  "pipelined-calls-165k": pipelinedCalls165k,
  "pipelined-calls-1m": pipelinedCalls1m,
  "pipelined-by-128": pipelinedBy128,
  "pipelined-by-400": pipelinedBy400,
  "pipelined-by-128-at-service": pipelinedBy128AtService,
  "rapid-reset": rapidReset,
  "zero-window": zeroWindow,
  watches,
  reflection,
  bodiless,
  continuation,
  settings,
  pings,
  "large-bodies-at-gateway": largeBodiesAtGateway,
  "large-bodies-at-service": largeBodiesAtService,
  pages,
  "empty-data": emptyData,
  priorities,
} satisfies Readonly<Record<string, Flood>>;

/** The run `slow-clients`. */
export const SLOW_CLIENTS = {
  "slow-at-gateway": slowAtGateway,
  "slow-at-service": slowAtService,
  "slow-over-http2": slowOverHttp2,
} satisfies Readonly<Record<string, Flood>>;

export type FloodName = keyof typeof FLOODS | keyof typeof SLOW_CLIENTS;

export const floodOf = (name: FloodName): Flood => ({ ...FLOODS, ...SLOW_CLIENTS })[name];
