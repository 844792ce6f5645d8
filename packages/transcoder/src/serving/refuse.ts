import type { HttpResponse } from "../http/http-response.ts";
import type { TranscoderCall } from "../transcoder-options.ts";
import type { Plan } from "./plan.ts";

/** Renders an error; what cannot be rendered has no body. Never throws nor rejects. */
export function refuse(plan: Plan, error: unknown, call: TranscoderCall): HttpResponse | Promise<HttpResponse> {
  try {
    const response = plan.renderError(error, call);
    return response instanceof Promise ? response.catch(() => BROKEN) : response;
  } catch {
    return BROKEN;
  }
}

const BROKEN: HttpResponse = { status: 500, headers: {}, body: "" };
