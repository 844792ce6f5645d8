import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { subject } from "@cloud/proto/cloud/api/v1/options_pb";

/** The subject that a message's `(cloud.api.v1.subject)` option names. Throws on a message that is no event. */
export function eventSubject(schema: DescMessage): string {
  const value = getOption(schema, subject);
  if (value.startsWith("cloud.v1.")) return value;
  throw new TypeError(`${schema.typeName} is no event: it has no subject below cloud.v1`);
}
