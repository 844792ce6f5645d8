import { Histogram, type Telemetry } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { receivedKey } from "./received-request.ts";

/**
 * Counts and times every call by method and code, from its arrival on: authentication is included. Calls are not logged: metrics give the same information at a fraction
 * of the cost.
 */
export function telemetryInterceptor({ metrics }: Telemetry): Interceptor {
  const duration = new Histogram({
    name: "rpc_server_duration_seconds",
    help: "How long calls took, by method and code.",
    labelNames: ["rpc_service", "rpc_method", "code"],
    registers: [metrics],
  });
  return (next) => async (request) => {
    const labels = { rpc_service: request.service.typeName, rpc_method: request.method.name };
    const since = request.contextValues.get(receivedKey)?.at ?? performance.now();
    const end = (code: string) => duration.observe({ ...labels, code }, (performance.now() - since) / 1_000);
    try {
      const response = await next(request);
      end("ok");
      return response;
    } catch (error) {
      end(Code[ConnectError.from(error).code].toLowerCase());
      throw error;
    }
  };
}
