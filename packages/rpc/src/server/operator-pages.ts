import { describeError, type Telemetry } from "@cloud/telemetry";
import type { NodeHandler } from "./listen-one-port.ts";

/** `/healthz` (the process lives), `/readyz` (it can do its work), `/metrics` (Prometheus). */
export function operatorPages(checkReady: () => Promise<void>, { log, metrics }: Telemetry): NodeHandler {
  const pages: Readonly<Record<string, () => Promise<{ status: number; type: string; body: string }>>> = {
    "/healthz": async () => ({ status: 200, type: "text/plain", body: "ok\n" }),
    "/readyz": async () => {
      try {
        await checkReady();
        return { status: 200, type: "text/plain", body: "ready\n" };
      } catch (error) {
        log.warn({ error: describeError(error) }, "not ready");
        return { status: 503, type: "text/plain", body: "not ready\n" };
      }
    },
    "/metrics": async () => ({ status: 200, type: metrics.contentType, body: await metrics.metrics() }),
  };
  return (request, response) => {
    const page = pages[(request.url ?? "").split("?")[0] ?? ""];
    const answer =
      page === undefined ? Promise.resolve({ status: 404, type: "text/plain", body: "no such path\n" }) : page();
    answer
      .then(({ status, type, body }) => {
        response.writeHead(status, { "content-type": type });
        response.end(body);
      })
      .catch((error: unknown) => {
        log.error({ error: describeError(error) }, "operator page failed");
        response.writeHead(500);
        response.end();
      });
  };
}
