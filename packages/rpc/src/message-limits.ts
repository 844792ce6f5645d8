import { type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { Audience, audience } from "@cloud/proto/cloud/api/v1/options_pb";

const MIB = 1024 * 1024;

/** The largest message between two programs of this system, in either direction, and the largest reply to a client. */
export const MAX_ANSWER_BYTES = 16 * MIB; // protects: message-size

/** The limit without a Struct. The gateway's largest body is 1 MiB; no other field grows by half when encoded. */
const PLAIN_BYTES = 2 * MIB;

/**
 * The limit with a Struct. In a Struct, `0,` of JSON becomes 11 bytes, 5.5 times as many, and nothing grows more. So
 * every body that REST accepts reaches the rule of the service that stores it, which names the limit.
 */
const STRUCT_BYTES = 6 * MIB;

/** Returns the largest request of an RPC in bytes. Only services send each other lists of 200,000 ids (7.3 MiB). */
export function requestLimitOf(method: DescMethod): number {
  if (getOption(method, audience) === Audience.SERVICE) return MAX_ANSWER_BYTES;
  return containsStruct(method.input) ? STRUCT_BYTES : PLAIN_BYTES;
}

function containsStruct(message: DescMessage): boolean {
  return message.fields.some((field) => field.message?.typeName === "google.protobuf.Struct");
}
