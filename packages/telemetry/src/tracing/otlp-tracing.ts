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
import type { Correlation } from "../correlation/correlation.ts";
import { parseTraceparent, writeTraceparent } from "../correlation/trace-context.ts";
import { reportLostSpans } from "./report-lost-spans.ts";
import type { Span, SpanKind, Tracing } from "./tracing.ts";
import type { TracesProtocol, TracingOptions } from "./tracing-options.ts";

/** How long the spans that are waiting may take to be sent when the program stops. */
const STOP_MS = 2_000;

/**
 * Creates spans with the SDK of OpenTelemetry and sends them by OTLP over HTTP, in batches, in the background. What the
 * collector does not take is dropped. The only module that imports the SDK, and imported only by `startTracing`: nothing
 * is registered with the API's globals, so that several programs can run in one process.
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
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: ownAttributes, links }, contextOf(parent));
      return wrap(span, parent);
    },
    stop: async () => {
      const sent = provider.shutdown().catch(() => undefined); // reported by the exporter
      const expired = new Promise<void>((resolve) => void setTimeout(resolve, STOP_MS).unref());
      await Promise.race([sent, expired]);
    },
  };
}

const KINDS: Readonly<Record<SpanKind, SdkSpanKind>> = {
  server: SdkSpanKind.SERVER,
  client: SdkSpanKind.CLIENT,
  producer: SdkSpanKind.PRODUCER,
  consumer: SdkSpanKind.CONSUMER,
  internal: SdkSpanKind.INTERNAL,
};

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

async function createExporter(protocol: TracesProtocol): Promise<SpanExporter> {
  switch (protocol) {
    case "http/protobuf":
      return new (await import("@opentelemetry/exporter-trace-otlp-proto")).OTLPTraceExporter();
    case "http/json":
      return new (await import("@opentelemetry/exporter-trace-otlp-http")).OTLPTraceExporter();
    default:
      return protocol satisfies never;
  }
}

function createSampler({ sampler, ratio }: TracingOptions): Sampler {
  const byParent = (root: Sampler) => new ParentBasedSampler({ root });
  switch (sampler) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio);
    case "parentbased_always_on":
      return byParent(new AlwaysOnSampler());
    case "parentbased_always_off":
      return byParent(new AlwaysOffSampler());
    case "parentbased_traceidratio":
      return byParent(new TraceIdRatioBasedSampler(ratio));
    default:
      return sampler satisfies never;
  }
}
