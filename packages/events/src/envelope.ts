import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";
import { type Correlation, correlationFrom } from "@cloud/runtime/telemetry";

/** The id and the time of an event, as consumers receive them. */
export interface Envelope {
  /** The same in every delivery of the event. */
  id: string;
  /** The time of the change. */
  time: Date;
}

interface EventAttributes extends Envelope {
  /** The service that owns the change. */
  source: string;
  /** The full name of the Protobuf message. */
  type: string;
}

/** Writes CloudEvents 1.0 in binary mode: one header per attribute. */
export function writeEventHeaders({ id, source, type, time }: EventAttributes): Record<string, string> {
  return {
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": source,
    "ce-type": type,
    "ce-time": time.toISOString(),
    "ce-datacontenttype": "application/protobuf",
  };
}

/** Parses the headers of an event. @throws Error if the id, the time or the expected type is missing */
export function readEventHeaders(headers: Readonly<Record<string, string>>, type: string): Envelope {
  const id = headers["ce-id"];
  const time = new Date(headers["ce-time"] ?? "");
  if (id === undefined || id === "") throw new Error("the header ce-id is missing");
  if (Number.isNaN(time.getTime())) throw new Error("the header ce-time is not a time");
  if (headers["ce-type"] !== type) throw new Error(`the header ce-type is not ${type}`);
  return { id, time };
}

/** Returns the headers of an event that is caused by a request; none without one. */
export function writeEventCorrelation(correlation: Correlation | undefined): Record<string, string> {
  if (correlation === undefined) return {};
  const { requestId, traceparent, tracestate } = correlation;
  return {
    ...(requestId !== "" && { [NAMES["x-request-id"]]: requestId }),
    ...(traceparent !== "" && { [NAMES.traceparent]: traceparent }),
    ...(tracestate !== "" && { [NAMES.tracestate]: tracestate }),
  };
}

/**
 * Returns the request that caused an event. Undefined for an event of no request, and for one of a release before 0.2,
 * whose outbox has no id.
 */
export function readEventCorrelation(headers: EventHeaders): Correlation | undefined {
  const { [NAMES["x-request-id"]]: requestId, [NAMES.traceparent]: traceparent } = headers;
  if (requestId === undefined && traceparent === undefined) return undefined;
  return correlationFrom({ "x-request-id": requestId, traceparent, tracestate: headers[NAMES.tracestate] });
}

type EventHeaders = Readonly<Record<string, string>>;

/**
 * The headers of a correlation, by their names in HTTP: attributes of CloudEvents, two of them from its extension for
 * distributed tracing.
 */
const NAMES = {
  "x-request-id": "ce-requestid",
  traceparent: "ce-traceparent",
  tracestate: "ce-tracestate",
} as const;

/** Returns the subject in a message's `(cloud.api.v1.subject)` option. @throws Error if the message is not an event */
export function eventSubject(schema: DescMessage): string {
  const value = getOption(schema, subject);
  if (value.startsWith("cloud.v1.")) return value;
  throw new TypeError(`${schema.typeName} is not an event: it has no subject below cloud.v1`);
}

/** A durable of a consumer, and the subject of its messages. */
export interface Durable {
  readonly durable: string;
  readonly subject: string;
}

/**
 * Returns the durables of a consumer: one for each subject, and as the last one the durable of its replayed messages.
 */
export function durablesOf(consumer: string, subjects: readonly string[]): Durable[] {
  return [
    ...subjects.map((subject) => ({ durable: `${consumer}-${subject.replaceAll(".", "_")}`, subject })),
    { durable: `${consumer}-replayed`, subject: `${replaySubject(consumer)}>` },
  ];
}

/** Returns the subject that a replayed message had at first. */
export function originalSubject(consumer: string, subject: string): string {
  return ROOT + subject.slice(replaySubject(consumer).length);
}

/**
 * Returns the subject below which a consumer's parked messages are published again. It is the consumer's own, because a
 * service may publish no events of others, and because no other consumer parked the message.
 */
const replaySubject = (consumer: string): string => `${ROOT}${consumer}.replayed.`;

/** The beginning of every subject. */
const ROOT = "cloud.v1.";
