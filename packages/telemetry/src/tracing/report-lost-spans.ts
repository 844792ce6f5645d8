import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";

/** The shortest time between two lines of the log. */
const EVERY_MS = 60_000;

/** Logs that a collector does not take spans, at most once a minute, and that it takes them again. The SDK is silent. */
export function reportLostSpans(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0;
  let isFailing = false;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === SUCCESS) {
          if (isFailing) log.info("the collector takes spans again");
          isFailing = false;
        } else {
          isFailing = true;
          lost += spans.length;
          if (performance.now() - reportedAt >= EVERY_MS) {
            log.warn({ err: result.error, lost }, "the collector does not take spans; they are dropped");
            [reportedAt, lost] = [performance.now(), 0];
          }
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** ExportResultCode.SUCCESS of `@opentelemetry/core`. */
const SUCCESS = 0;
