import { type Durable, durablesOf } from "../subjects.ts";
import { inboxPrefix } from "./nats-access.ts";
import { streamName } from "./stream.ts";

export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * Returns the subjects that the NATS user of a service needs, and no others: its own events; the state and the
 * creation of the stream; its own durables, each with its filter; its own inboxes; its own signals, if it has any.
 *
 * `STREAM.UPDATE` lets each service correct a stream that someone has changed, so that no event is dropped by a limit.
 * Who holds it can purge the stream by a limit, which the reconcilers make up for, and from nats-server 2.10 on publish in
 * the name of others with a `subject_transform`, which the owner of the record refutes. Without it, a difference is only
 * reported, by the condition `stream-configuration`.
 */
export function natsPermissions(
  service: string,
  consumedSubjects: readonly string[],
  signals: readonly string[] = [],
): NatsPermissions {
  return {
    publish: [
      `cloud.v1.${service}.>`,
      ...signals,
      `$JS.API.STREAM.INFO.${streamName}`,
      `$JS.API.STREAM.CREATE.${streamName}`,
      `$JS.API.STREAM.UPDATE.${streamName}`,
      ...durablesOf(service, consumedSubjects).flatMap(durableSubjects),
    ],
    subscribe: [...signals, `${inboxPrefix(service)}.>`],
  };
}

/** The filter is part of the subject that creates a durable, so that the durable receives these events only. */
const durableSubjects = ({ durable, subject: filter }: Durable): string[] => [
  `$JS.API.CONSUMER.INFO.${streamName}.${durable}`,
  `$JS.API.CONSUMER.CREATE.${streamName}.${durable}.${filter}`,
  `$JS.API.CONSUMER.DELETE.${streamName}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${durable}`,
  `$JS.ACK.${streamName}.${durable}.>`,
];
