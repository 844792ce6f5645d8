import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectList, type ReflectMap, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import fc from "fast-check";

type Draw = fc.GeneratorValue;

/** Draws a message of the type with random fields, at most three messages deep. */
export function randomMessage(type: DescMessage, draw: Draw, depth = 0): Message {
  const message = create(type);
  const target = reflect(type, message);
  if (type.typeName === "google.protobuf.Timestamp") setTimestamp(target, draw);
  else for (const field of type.fields) if (draw(fc.boolean)) setField(target, field, draw, depth);
  return message;
}

function setTimestamp(target: ReflectMessage, draw: Draw): void {
  const seconds = draw(() => SECONDS);
  const nanos = draw(() => NANOS);
  const [first, second] = target.fields;
  if (first) target.set(first, BigInt(seconds) as never);
  if (second) target.set(second, nanos as never);
}

function setField(target: ReflectMessage, field: DescField, draw: Draw, depth: number): void {
  const value = () => singleValue(field, draw, depth);
  if (field.message !== undefined && depth > 2) return;
  if (field.fieldKind === "list") {
    const list = target.get(field) as ReflectList;
    for (let count = draw(fc.integer, { min: 0, max: 3 }); count > 0; count--) list.add(value() as never);
  } else if (field.fieldKind === "map") {
    const map = target.get(field) as ReflectMap;
    for (let count = draw(fc.integer, { min: 0, max: 3 }); count > 0; count--)
      map.set(draw(() => keyOf(field.mapKey)) as never, value() as never);
  } else target.set(field, value() as never);
}

function singleValue(field: DescField, draw: Draw, depth: number): unknown {
  if (field.message !== undefined) {
    if (field.message.typeName === "google.protobuf.Struct") {
      return reflect(
        field.message,
        fromJson(
          field.message,
          draw(() => struct),
        ),
      );
    }
    if (field.message.typeName === "google.protobuf.Value")
      return reflect(field.message, anyValue(field.message, draw));
    return reflect(field.message, randomMessage(field.message, draw, depth + 1));
  }
  if (field.enum !== undefined) return draw(fc.integer, { min: -1, max: 4 });
  return draw(() => SCALARS[field.scalar as ScalarType]);
}

function anyValue(type: DescMessage, draw: Draw): Message {
  return create(type, { kind: { case: "stringValue", value: draw(() => text) } } as never);
}

const SECONDS = fc.oneof(fc.integer({ min: 0, max: 253_402_300_799 }), fc.integer({ min: -62_135_596_800, max: 9 }));
const NANOS = fc.oneof(fc.constantFrom(0, 1_000_000, 999_999_999), fc.integer({ min: 0, max: 999_999_999 }));
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).filter((one) => one.isWellFormed()),
  fc.string({
    unit: fc.constantFrom("\u0000", "\u001f", '"', "\\", "\n", "\u007f", "\u2028", "ä", "😀", "a"),
    maxLength: 9,
  }),
  fc.constant("x".repeat(3_000)),
);
const keyText = fc.oneof(text, fc.constantFrom("", "0", "7", "12", "__proto__", "constructor", "a", "b", "c"));
const keyOf = (type: ScalarType) => (type === ScalarType.STRING ? keyText : SCALARS[type]);
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keyText, tie("value"), { maxKeys: 4 }),
  ) as fc.Arbitrary<JsonValue>,
})).value;
const struct = fc.dictionary(keyText, json, { maxKeys: 4 }) as fc.Arbitrary<JsonValue>;
const int32 = fc.oneof(fc.integer(), fc.integer({ min: -9, max: 9 }));
const uint32 = fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 0, max: 9 }));
const bits = fc.integer({ min: 0, max: 64 });
const uint64 = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), bits).map(([one, shift]) => one >> BigInt(shift));
const int64 = uint64.map((one) => BigInt.asIntN(64, one));
const double = fc.oneof(fc.double(), fc.constantFrom(0, -0, 1e21, 1e-7, 2 ** 53), fc.integer());
const float = fc.oneof(fc.float(), fc.constantFrom(0, -0));

const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.STRING]: text,
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 9 }),
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.FLOAT]: float,
  [ScalarType.DOUBLE]: double,
};
