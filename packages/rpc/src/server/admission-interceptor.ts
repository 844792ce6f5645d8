import type { Admission } from "@cloud/program";
import type { Interceptor } from "@connectrpc/connect";
import { isOpenService } from "./open-service.ts";

/**
 * Refuses calls beyond the limit of calls in flight, and does not begin one whose caller has left or whose deadline has
 * passed while it was read.
 */
export function admissionInterceptor(admission: Admission): Interceptor {
  return (next) => async (request) => {
    if (isOpenService(request.service)) {
      return await next(request);
    }
    request.signal.throwIfAborted();
    return await admission.run(() => next(request));
  };
}
