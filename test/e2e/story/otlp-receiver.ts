import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "@cloud/runtime";

/** A span as OTLP over HTTP has it in JSON, with its attributes by name. */
export interface ReceivedSpan {
  /** The resource's `service.name`. */
  readonly service: string;
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The links to spans of other traces. */
  readonly links: readonly string[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly links?: readonly { readonly spanId: string }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** Receives traces as a collector does, by OTLP over HTTP in JSON, and keeps them. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    paths.add(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    json(request).then(
      (body) => {
        spans.push(...spansIn(body as OtlpBody));
        response.setHeader("content-type", "application/json").end("{}");
      },
      () => response.writeHead(400).end(),
    );
  });
  const listening = await listen(server, "127.0.0.1", 0, 1);
  const stop = async () => {
    server.closeAllConnections();
    await listening.close();
  };
  return { url: listening.url, spans, paths, stop };
}

function spansIn({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(service, span)));
  });
}

function readSpan(
  service: string,
  { name, kind, traceId, spanId, parentSpanId = "", ...span }: OtlpSpan,
): ReceivedSpan {
  const attributes = valuesOf(span.attributes ?? []);
  const links = (span.links ?? []).map((link) => link.spanId);
  return { service, name, kind: KINDS[kind] ?? "", traceId, spanId, parentSpanId, attributes, links };
}

/** Each value is an object with one field, named by its type. */
function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
