import { isUtf8 } from "node:buffer";
import { create, type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isObject } from "../../json-in/json-literals.ts";
import { hasOwnJson } from "../../json-in/read-own-json.ts";
import { COMPILED_FORM, renderJson } from "../render-json.ts";
import type { JsonWriter } from "./wire-and-json.ts";
import { DELIMITED, FALL_BACK, type WireReader } from "./wire-and-json.ts";
import { compileEnum, SCALARS, type WriteScalar, writeTimestamp } from "./write-scalar.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  enclose,
  OPEN_BRACE,
  OPEN_BRACKET,
  writeListValue,
  writeStruct,
} from "./write-struct.ts";

/** Writes the message up to `end`; `depth` counts the messages around it. */
type WriteMessage = (input: WireReader, output: JsonWriter, end: number, depth: number) => void;

/** Writes the value of one field after its tag; for a list, all items that follow. */
type WriteField = (input: WireReader, output: JsonWriter, end: number, depth: number) => void;

interface FieldPlan {
  readonly number: number;
  readonly tag: number;
  /** `,"name":` */
  readonly name: Uint8Array;
  /** The whole field if the wire has none; undefined if it is omitted. */
  readonly absent: Uint8Array | undefined;
  readonly write: WriteField;
}

const writers = new WeakMap<DescMessage, WriteMessage | null>();

/** Returns the writer of a message type; undefined if the type has a field that only the general decoder can read. */
export function findWriter(type: DescMessage): WriteMessage | undefined {
  const known = writers.get(type);
  if (known !== undefined) return known ?? undefined;
  const own = OWN_WRITERS.get(type.typeName);
  if (own === undefined && hasOwnJson(type)) return undefined;
  let compiled: WriteMessage | undefined = own;
  // For a type that contains itself: it is complete before it is called.
  writers.set(type, (...message) => (compiled ?? unusual)(...message));
  compiled ??= compileObject(type);
  writers.set(type, compiled ?? null);
  return compiled;
}

function compileObject(type: DescMessage): WriteMessage | undefined {
  const empty = renderJson(type, create(type), undefined, COMPILED_FORM);
  const plans = planFields(type.fields, (field) => (isObject(empty) ? empty[field.jsonName] : undefined));
  if (plans === undefined) return undefined;
  const writeFields = compileFields(plans);
  return (input, output, end, depth) => {
    input.assertDepth(depth);
    const start = output.at;
    writeFields(input, output, end, depth);
    enclose(output, start, OPEN_BRACE, CLOSE_BRACE);
  };
}

/** Compiles the writer of one field of a reply. The others are read, because the reply must be valid. */
export function findFieldWriter(type: DescMessage, only: DescField): WriteMessage | undefined {
  const plans = planFields(type.fields, () => undefined)?.map((plan): FieldPlan => {
    if (plan.number === only.number) {
      const absent = Buffer.from(JSON.stringify(renderJson(type, create(type), only, COMPILED_FORM)));
      return { ...plan, name: NOTHING, absent };
    }
    const discard: WriteField = (input, output, end, depth) => {
      const start = output.at;
      plan.write(input, output, end, depth);
      if (!isUtf8(output.bytes.subarray(start, output.at))) throw FALL_BACK;
      output.at = start;
    };
    return { ...plan, name: NOTHING, write: discard };
  });
  return plans === undefined || hasOwnJson(type) ? undefined : compileFields(plans);
}

function planFields(
  fields: readonly DescField[],
  absentJson: (field: DescField) => JsonValue | undefined,
): FieldPlan[] | undefined {
  const plans: FieldPlan[] = [];
  if (new Set(fields.map(({ jsonName }) => jsonName)).size < fields.length) return undefined;
  for (const field of fields) {
    const value = findValueWriter(field);
    const isOrdered = field.number > (plans.at(-1)?.number ?? 0);
    if (value === undefined || !isOrdered || /^\d|^__proto__$/.test(field.jsonName)) return undefined;
    const name = `,${JSON.stringify(field.jsonName)}:`;
    const absent = absentJson(field);
    plans.push({
      number: field.number,
      ...value,
      name: Buffer.from(name),
      absent: absent === undefined ? undefined : Buffer.from(name + JSON.stringify(absent)),
    });
  }
  return plans;
}

function compileFields(plans: readonly FieldPlan[]): WriteField {
  const known = new Set(plans.map(({ number }) => number));
  return (input, output, end, depth) => {
    let next = 0;
    while (input.at < end) {
      const tag = input.uint32();
      const number = tag >>> 3;
      let plan = plans[next];
      while (plan !== undefined && plan.number < number) {
        if (plan.absent !== undefined) output.raw(plan.absent);
        plan = plans[++next];
      }
      if (plan?.tag === tag) {
        output.raw(plan.name);
        plan.write(input, output, end, depth);
        next++;
      } else if (known.has(number)) throw FALL_BACK;
      else input.skip(tag);
    }
    if (input.at !== end) throw FALL_BACK;
    for (let plan = plans[next]; plan !== undefined; plan = plans[++next]) {
      if (plan.absent !== undefined) output.raw(plan.absent);
    }
  };
}

interface ValuePlan {
  readonly tag: number;
  readonly write: WriteField;
}

function findValueWriter(field: DescField): ValuePlan | undefined {
  // Only the last member of a oneof on the wire is valid.
  if (field.oneof !== undefined || field.fieldKind === "map" || field.presence === LEGACY_REQUIRED) return undefined;
  if (field.message !== undefined) return findMessageValue(field);
  const scalar = field.enum === undefined ? SCALARS[field.scalar as ScalarType] : enumForm(field);
  if (scalar === undefined) return undefined;
  if (field.fieldKind !== "list") return { tag: tagOf(field, scalar.wireType), write: scalar.write };
  const isPacked = field.packed;
  const tag = tagOf(field, isPacked ? DELIMITED : scalar.wireType);
  return { tag, write: isPacked ? compilePacked(tag, scalar.write) : compileList(tag, scalar.write) };
}

function enumForm(field: DescField) {
  // An unknown value of a closed enum is an unknown field.
  if (field.enum === undefined || !field.enum.open) return undefined;
  return { wireType: SCALARS[ScalarType.INT32].wireType, write: compileEnum(field.enum) };
}

function findMessageValue(field: DescField): ValuePlan | undefined {
  const write = field.message && findWriter(field.message);
  if (write === undefined || ("delimitedEncoding" in field && field.delimitedEncoding)) return undefined;
  const tag = tagOf(field, DELIMITED);
  const writeOne: WriteField = (input, output, _end, depth) => write(input, output, input.end(), depth + 1);
  return { tag, write: field.fieldKind === "list" ? compileList(tag, writeOne) : writeOne };
}

function compileList(tag: number, writeItem: WriteField): WriteField {
  return (input, output, end, depth) => {
    const start = output.at;
    let after: number;
    do {
      output.byte(COMMA);
      writeItem(input, output, end, depth);
      after = input.at;
    } while (after < end && input.uint32() === tag);
    input.at = after;
    enclose(output, start, OPEN_BRACKET, CLOSE_BRACKET);
  };
}

function compilePacked(tag: number, writeItem: WriteScalar): WriteField {
  return (input, output, end) => {
    const start = output.at;
    let after: number;
    do {
      const itemsEnd = input.end();
      while (input.at < itemsEnd) {
        output.byte(COMMA);
        writeItem(input, output);
      }
      if (input.at !== itemsEnd) throw FALL_BACK;
      after = input.at;
    } while (after < end && input.uint32() === tag);
    input.at = after;
    enclose(output, start, OPEN_BRACKET, CLOSE_BRACKET);
  };
}

function tagOf({ number }: DescField, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

function unusual(): never {
  throw FALL_BACK;
}

const LEGACY_REQUIRED = 3;
const NOTHING = new Uint8Array();

const OWN_WRITERS: ReadonlyMap<string, WriteMessage> = new Map([
  ["google.protobuf.Timestamp", writeTimestamp],
  ["google.protobuf.Struct", writeStruct],
  ["google.protobuf.ListValue", writeListValue],
]);
