import {
  create,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { EncodedReply } from "../encoded-reply.ts";
import type { ServiceTransport } from "./service-transport.ts";

/**
 * Returns the call of a peer's RPC whose reply is passed on as another message with the same fields, without being
 * decoded: decoding and encoding 25 records takes 0.2 ms.
 *
 * @throws TypeError if the fields of the two messages differ
 */
export function forwardReply<Input extends DescMessage, Reply extends DescMessage>(
  transport: ServiceTransport,
  method: DescMethodUnary<Input>,
  reply: Reply,
): (request: MessageInitShape<Input>) => Promise<EncodedReply<Reply>> {
  if (layoutOf(method.output) !== layoutOf(reply)) {
    throw new TypeError(`${method.output.typeName} and ${reply.typeName} have different fields`);
  }
  return async (request) => {
    const message = toBinary(method.input, create(method.input, request));
    const { message: bytes } = await transport.unaryBinary(method, undefined, undefined, undefined, message);
    return new EncodedReply(reply, bytes);
  };
}

/** Describes the fields of a message by name and by what decides their encoding. */
function layoutOf(type: DescMessage): string {
  return JSON.stringify(type.fields.map((field) => [field.number, field.name, ...encodingOf(field)]));
}

function encodingOf({ fieldKind, scalar, message, enum: values, proto }: DescField) {
  return [fieldKind, scalar, message?.typeName, values?.typeName, proto.label, proto.type];
}
