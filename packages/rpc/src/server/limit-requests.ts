import type { ConnectRouter } from "@connectrpc/connect";
import { requestLimitOf } from "../message-limits.ts";

/**
 * Returns a router that gives each RPC its own limit of the request. The library takes one limit per service, so a
 * service is registered once per limit, and the handlers with the limit of another RPC are removed.
 */
export function limitRequests(router: ConnectRouter): ConnectRouter {
  const { handlers } = router;
  const limited: ConnectRouter = {
    ...router,
    service: (service, implementation, options) => {
      for (const readMaxBytes of new Set(service.methods.map(requestLimitOf))) {
        const before = handlers.length;
        router.service(service, implementation, { ...options, readMaxBytes });
        handlers.push(...handlers.splice(before).filter(({ method }) => requestLimitOf(method) === readMaxBytes));
      }
      return limited;
    },
  };
  return limited;
}
