import {
  type Context,
  createTraceState,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  type SpanContext,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { type Correlation, parseTraceparent, writeTraceparent } from "./correlation.ts";
import type { Span, Tracing, TracingOptions } from "./tracing.ts";

/** Milliseconds in which the waiting spans are sent when the program stops. */
const STOP_MS = 2_000;

/**
 * Creates spans with the SDK of OpenTelemetry and sends them by OTLP over HTTP, in batches, in the background. Spans
 * that the collector does not accept are dropped. This is the only module that imports the SDK, and only
 * `startTelemetry` imports it. Nothing is registered with the API's globals, so that several programs can run in one
 * process.
 */
export async function createOtlpTracing(options: TracingOptions, log: Logger): Promise<Tracing> {
  const exporter = reportLostSpans(await createExporter(options.protocol), log);
  const attributes = { ...options.resource, "service.name": options.serviceName };
  const version = { "service.version": manifest.version }; // the same in all packages
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...version, ...attributes })),
    sampler: createSampler(options),
    spanLimits: { attributeValueLengthLimit: 1_024 },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...options.batches })],
  });
  const tracer = provider.getTracer("@cloud/telemetry");
  return {
    start: (name, kind, parent, ownAttributes = {}) => {
      const links = (parent?.sharedBy ?? []).flatMap((one): Link[] => {
        const context = spanContextOf(one);
        return context === undefined ? [] : [{ context }];
      });
      const sdkKind = SdkSpanKind[kind.toUpperCase() as Uppercase<typeof kind>];
      const span = tracer.startSpan(name, { kind: sdkKind, attributes: ownAttributes, links }, contextOf(parent));
      return wrap(span, parent);
    },
    stop: async () => {
      const sent = provider.shutdown().catch(() => undefined); // reported by the exporter
      const expired = new Promise<void>((resolve) => void setTimeout(resolve, STOP_MS).unref());
      await Promise.race([sent, expired]);
    },
  };
}

function wrap(span: SdkSpan, parent: Correlation | undefined): Span {
  const { traceId, spanId, traceFlags: flags, traceState } = span.spanContext();
  const correlation = {
    requestId: parent?.requestId ?? "",
    traceparent: writeTraceparent({ traceId, spanId, flags }),
    tracestate: traceState?.serialize() ?? "",
  };
  return {
    correlation,
    end: (attributes, fault, name) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
      span.end();
    },
  };
}

function contextOf(parent: Correlation | undefined): Context {
  const spanContext = parent && spanContextOf(parent);
  return spanContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

function spanContextOf({ traceparent, tracestate }: Correlation): SpanContext | undefined {
  const parsed = traceparent === "" ? undefined : parseTraceparent(traceparent);
  if (parsed === undefined) return undefined;
  const { traceId, spanId, flags } = parsed;
  const state = tracestate === "" ? {} : { traceState: createTraceState(tracestate) };
  return { traceId, spanId, traceFlags: flags & 1, isRemote: true, ...state };
}

async function createExporter(protocol: TracingOptions["protocol"]): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter();
}

function createSampler({ sampler, ratio }: TracingOptions): Sampler {
  const root = createRootSampler(sampler.replace("parentbased_", ""), ratio);
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function createRootSampler(name: string, ratio: number): Sampler {
  if (name === "always_on") return new AlwaysOnSampler();
  return name === "always_off" ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}

/** The shortest time between two lines of the log. */
const EVERY_MS = 60_000;

/**
 * Logs, at most once a minute, that the collector does not accept spans, and once that it accepts them again. The SDK
 * logs nothing.
 */
function reportLostSpans(exporter: SpanExporter, log: Logger): SpanExporter {
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
