import { Histogram, type Telemetry } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** Counts and times every call by method and code. Calls are not logged: metrics tell the same at a fraction. */
export function telemetryInterceptor({ metrics }: Telemetry): Interceptor {
  const duration = new Histogram({
    name: "rpc_server_duration_seconds",
    help: "How long calls took, by method and code.",
    labelNames: ["rpc_service", "rpc_method", "code"],
    registers: [metrics],
  });
  return (next) => async (request) => {
    const end = duration.startTimer({ rpc_service: request.service.typeName, rpc_method: request.method.name });
    try {
      const response = await next(request);
      end({ code: "ok" });
      return response;
    } catch (error) {
      end({ code: Code[ConnectError.from(error).code].toLowerCase() });
      throw error;
    }
  };
}
