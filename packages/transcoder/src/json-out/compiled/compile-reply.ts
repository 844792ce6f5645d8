import { isUtf8 } from "node:buffer";
import { type DescField, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { DEEPEST_STRUCT, MAX_NESTING } from "../../json-in/parse-json.ts";
import { isCompiledForm, type JsonOptions } from "../json-options.ts";
import { renderJson } from "../render-json.ts";
import { writeJson } from "../write-json.ts";
import { findFieldWriter, findWriter } from "./compile-message.ts";
import { JsonWriter } from "./json-writer.ts";
import { UNUSUAL } from "./unusual.ts";
import { WireReader } from "./wire-reader.ts";

/** Bytes of JSON, one character for each: Node writes text and head at once, and this kind of text fastest. */
export type BinaryText = string;

/** Writes the bytes of a reply as JSON. @throws AnswerTooLarge, or what the decoder throws */
export type WriteReply = (reply: Uint8Array) => BinaryText;

/**
 * Compiles the conversion of a reply, or only of its response field, from Protobuf bytes to the JSON that `renderJson`
 * and `writeJson` produce, of at most `limit` bytes. No message is created: for a list of 25 records that takes four
 * times as long. What the compiled writer leaves aside is decoded and rendered by those two.
 */
export function compileReply(
  type: DescMessage,
  only: DescField | undefined,
  limit: number,
  options: JsonOptions,
  recursionLimit = messagesOf(),
): WriteReply {
  const writeGenerally: WriteReply = (reply) =>
    renderText(type, fromBinary(type, reply, { recursionLimit }), only, limit, options);
  if (!isCompiledForm(options)) return writeGenerally;
  const write = only === undefined ? findWriter(type) : findFieldWriter(type, only);
  if (write === undefined) return writeGenerally; // protects: json-writers
  return (reply) => {
    try {
      output.begin(limit);
      write(new WireReader(reply, recursionLimit), output, reply.length, 1);
      const json = output.bytes.subarray(0, output.at);
      if (output.at > limit || !isUtf8(json)) throw UNUSUAL;
      return json.toString("latin1");
    } catch (error) {
      if (error !== UNUSUAL) throw error;
      return writeGenerally(reply);
    }
  };
}

/**
 * Returns how many messages a reply may have in one another: as many as decoders take by default, and those that a Struct
 * of `jsonDepth` levels consists of, two for each.
 */
export function messagesOf(jsonDepth = MAX_NESTING): number {
  return 100 + 2 * Math.min(jsonDepth, DEEPEST_STRUCT);
}

/** Renders a reply that is decoded already. */
export function renderText(
  type: DescMessage,
  reply: Message,
  only: DescField | undefined,
  limit: number,
  options: JsonOptions,
): BinaryText {
  return Buffer.from(writeJson(renderJson(type, reply, only, options), limit)).toString("latin1");
}

/** One for all: no reply is written while another one is. */
const output = new JsonWriter();
