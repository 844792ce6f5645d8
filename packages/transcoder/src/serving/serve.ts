import type { Cors } from "../http/cors.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { cutTarget } from "../matching/request-target.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import { finishResponse, needsFinishing } from "./finish-response.ts";
import { optionsReply } from "./options-reply.ts";
import type { Plan, Writable } from "./plan.ts";
import type { Proceed } from "./read-message.ts";
import { refuse } from "./refuse.ts";
import { matchRequest, transcode } from "./transcode.ts";

/** A request that is being served. */
export interface Served {
  /** Undefined, or a promise of it, if the client has disconnected. Never rejects. */
  readonly response: HttpResponse | Promise<HttpResponse | undefined>;
  /** To be called once the response has been sent, or cannot be. Ends the RPC if it has not been sent completely. */
  end(status: number, isSent: boolean): void;
}

/** Serves a request, whatever listener has received it. Never throws. */
export type Serve = (request: HttpRequest, proceed: Proceed) => Served;

/** Creates what all listeners share. */
export function createServe(plan: Plan, cors: Cors | undefined): Serve {
  const { options, hooks } = plan;
  return (request, proceed) => {
    const target = cutTarget(request.url ?? "/");
    const call: Writable<TranscoderCall> = {
      request,
      path: target.path,
      route: undefined,
      startedAt: performance.now(),
    };
    let abort: AbortController | undefined;
    const begin = (): HttpResponse | Promise<HttpResponse | undefined> => {
      try {
        const match = matchRequest(plan, call, target);
        abort = new AbortController();
        return transcode(plan, call, match, target.query, abort, proceed);
      } catch (error) {
        const reply = options.optionsRequests === "refuse" ? undefined : optionsReply(error, request, cors);
        return reply ?? refuse(plan, error, call);
      }
    };
    return {
      response: finish(cors, request, begin()),
      end(status, isSent) {
        // A stream ends with its response, however that came about: it holds one of few places.
        if (!isSent || call.route?.method.methodKind === "server_streaming") abort?.abort();
        try {
          hooks.responded?.(call, status);
        } catch {
          // The response has been sent; nothing depends on the hook.
        }
      },
    };
  };
}

function finish(
  cors: Cors | undefined,
  request: HttpRequest,
  response: HttpResponse | Promise<HttpResponse | undefined>,
): HttpResponse | Promise<HttpResponse | undefined> {
  if (!needsFinishing(cors, request)) return response;
  if (!(response instanceof Promise)) return finishResponse(cors, request, response);
  return response.then((content) => content && finishResponse(cors, request, content));
}
