import { accessRuleOf, authorizationKey, codeOf, reasonOf } from "@cloud/contract";
import type { ContextValues, Interceptor } from "@connectrpc/connect";
import { isOpenService } from "./open-service.ts";
import { receivedKey } from "./received-request.ts";
import type { RefusedCallersReport, RefusedKind } from "./refused-callers.ts";
import { countRefusedTokens } from "./refused-tokens.ts";

/**
 * Reports the calls that are refused for the token or credential that they present, and the tokens that services present
 * for their callers. A call without one is no attempt to use one, and is not reported.
 */
export function refusedCallersInterceptor(refusedCallers: RefusedCallersReport): Interceptor {
  return (next) => async (request) => {
    const { header, service, method, contextValues } = request;
    const requestId = contextValues.get(receivedKey)?.correlation.requestId ?? "";
    const report = (kind: RefusedKind) =>
      refusedCallers.add({ kind, method: `${service.typeName}/${method.name}`, requestId });
    try {
      const response = await next(request);
      for (let count = countRefusedTokens(request, response); count > 0; count -= 1) report("token");
      return response;
    } catch (error) {
      if (!isOpenService(service) && header.has("authorization")) {
        const kind = kindOf(error, accessRuleOf(method).forServicesOnly, contextValues);
        if (kind !== undefined) report(kind);
      }
      throw error;
    }
  };
}

function kindOf(error: unknown, forServicesOnly: boolean, values: ContextValues): RefusedKind | undefined {
  switch (codeOf(reasonOf(error))) {
    case "UNAUTHENTICATED":
      // The caller of AuthService/Authenticate is a service that is authenticated; the token in its request is refused.
      return forServicesOnly && values.get(authorizationKey) === undefined ? "service credential" : "token";
    case "SERVICE_CREDENTIAL_REQUIRED":
    case "SERVICE_NOT_ALLOWED":
      return "service credential";
    default:
      return undefined;
  }
}
