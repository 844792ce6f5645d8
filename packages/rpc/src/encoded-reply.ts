import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { createContextKey } from "@connectrpc/connect";

/** A reply whose Protobuf encoding exists already. A call that takes it is sent the bytes; every other call decodes them. */
export class EncodedReply<Type extends DescMessage = DescMessage> {
  readonly type: Type;
  readonly bytes: Uint8Array;

  constructor(type: Type, bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }

  decode(): MessageShape<Type> {
    return fromBinary(this.type, this.bytes);
  }
}

/** What a handler's reply is to a call that takes no encoding. */
export type Decoded<Reply> = Reply extends EncodedReply<infer Type> ? MessageShape<Type> : Reply;

/** Whether the call takes a reply that is encoded already: on the plain path, in Protobuf. */
export const takesEncodedKey = createContextKey(false, { description: "takes an encoded reply" });
