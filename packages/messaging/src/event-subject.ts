import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";

/** Returns the subject in a message's `(cloud.api.v1.subject)` option. @throws Error if the message is not an event */
export function eventSubject(schema: DescMessage): string {
  const value = getOption(schema, subject);
  if (value.startsWith("cloud.v1.")) return value;
  throw new TypeError(`${schema.typeName} is not an event: it has no subject below cloud.v1`);
}
