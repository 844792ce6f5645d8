import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";

/** Returns the subject in a message's `(cloud.api.v1.subject)` option. @throws Error if the message is not an event */
export function eventSubject(schema: DescMessage): string {
  const value = getOption(schema, subject);
  if (value.startsWith("cloud.v1.")) return value;
  throw new TypeError(`${schema.typeName} is not an event: it has no subject below cloud.v1`);
}

/** What precedes the rest of every subject. */
const ROOT = "cloud.v1.";

/**
 * Returns the subject below which a consumer's parked messages are published again. It is the consumer's own, because a
 * service may publish no events of others, and because no other consumer parked the message.
 */
const replaySubject = (consumer: string): string => `${ROOT}${consumer}.replayed.`;

/** Returns the subject that a replayed message had at first. */
export function originalSubject(consumer: string, subject: string): string {
  return ROOT + subject.slice(replaySubject(consumer).length);
}

/** A durable of a consumer, and the subject of its messages. */
export interface Durable {
  readonly durable: string;
  readonly subject: string;
}

/** Returns the durables of a consumer: one for each subject, and as the last one that of its replayed messages. */
export function durablesOf(consumer: string, subjects: readonly string[]): Durable[] {
  return [
    ...subjects.map((subject) => ({ durable: `${consumer}-${subject.replaceAll(".", "_")}`, subject })),
    { durable: `${consumer}-replayed`, subject: `${replaySubject(consumer)}>` },
  ];
}
