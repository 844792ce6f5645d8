import { create, type DescField, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ListValueSchema, StructSchema, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { compiledType, everyKind } from "../../../test/every-kind.ts";
import {
  CopySchema,
  file_library_v1_library,
  GetCopyResponseSchema,
  ListCopiesResponseSchema,
} from "../../../test/gen/library/v1/library_pb.ts";
import { randomMessage } from "../../../test/random-message.ts";
import { compileReply, messagesOf } from "../../calls/call-route.ts";
import { COMPILED_FORM, renderJson, writeJson } from "../render-json.ts";
import { findFieldWriter, findWriter } from "./compile-message.ts";
import { FALL_BACK, JsonWriter, WireReader } from "./wire-and-json.ts";

const LIMIT = 2 ** 24;

const types: readonly DescMessage[] = [
  ...file_library_v1_library.messages,
  ...everyKind,
  TimestampSchema,
  StructSchema,
  ListValueSchema,
  ValueSchema,
];

const DECODING = { recursionLimit: messagesOf() };

/** The JSON as bytes, or the error's text. */
const outcomeOf = (act: () => Buffer) => {
  try {
    return act().toString("latin1");
  } catch (error) {
    return String(error);
  }
};
const generally = (type: DescMessage, bytes: Uint8Array, only?: DescField, limit = LIMIT) =>
  outcomeOf(() =>
    Buffer.from(writeJson(renderJson(type, fromBinary(type, bytes, DECODING), only, COMPILED_FORM), limit)),
  );
const compiled = (type: DescMessage, bytes: Uint8Array, only?: DescField, limit = LIMIT) =>
  outcomeOf(() => Buffer.from(compileReply(type, only, limit, COMPILED_FORM)(bytes), "latin1"));

/** Whether the compiled writer itself wrote the bytes. */
function isWritten(type: DescMessage, bytes: Uint8Array, only?: DescField): boolean {
  const output = new JsonWriter();
  output.begin(LIMIT);
  const write = only === undefined ? findWriter(type) : findFieldWriter(type, only);
  try {
    write?.(new WireReader(bytes, DECODING.recursionLimit), output, bytes.length, 1);
    return write !== undefined;
  } catch (error) {
    if (error !== FALL_BACK) throw error;
    return false;
  }
}

/** Compares both ways for the whole message and for one of its fields. */
function compare(type: DescMessage, bytes: Uint8Array, only: DescField | undefined): void {
  expect(compiled(type, bytes)).toBe(generally(type, bytes));
  if (only !== undefined) expect(compiled(type, bytes, only)).toBe(generally(type, bytes, only));
}

function encode(type: DescMessage, draw: fc.GeneratorValue): Uint8Array {
  return toBinary(type, randomMessage(type, draw));
}

describe("a compiled reply has the bytes of the general way", () => {
  test("for random messages of every type", () => {
    for (const type of types) {
      fc.assert(
        fc.property(fc.nat(), fc.gen(), (field, draw) => {
          compare(type, encode(type, draw), type.fields[field % type.fields.length]);
        }),
        { numRuns: 5 },
      );
    }
  }, 60_000);

  test("for random messages of every kind of field", () => {
    const field = fc.constantFrom(...compiledType.fields);
    fc.assert(
      fc.property(field, fc.gen(), (only, draw) => compare(compiledType, encode(compiledType, draw), only)),
      { numRuns: 60 },
    );
  }, 60_000);

  test("for bytes that are cut, damaged, joined, or have unknown fields", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.gen(), (at, field, draw) => {
        const type = draw(fc.boolean) ? compiledType : (types[at % types.length] as DescMessage);
        const bytes = Buffer.from(encode(type, draw));
        const place = draw(fc.integer, { min: 0, max: bytes.length });
        const cut = bytes.subarray(0, place);
        const damaged = Buffer.from(bytes);
        if (place < bytes.length) damaged[place] = draw(fc.integer, { min: 0, max: 255 });
        const unknown = Buffer.from(
          draw(
            fc.constantFrom,
            "f03e01",
            "f23e020102",
            "f13e0102030405060708",
            "f53e01020304",
            "f33ef43e",
            "f43e",
            "00",
            "f73e",
          ),
          "hex",
        );
        const only = type.fields[field % type.fields.length];
        for (const form of [cut, damaged, Buffer.concat([bytes, encode(type, draw)])]) compare(type, form, only);
        compare(type, Buffer.concat([bytes, unknown]), only);
        compare(type, Buffer.concat([unknown, bytes]), only);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  const copyOf = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");
  test.each([
    ["nothing", ""],
    ["a field twice", "0a0161 0a0162"],
    ["fields out of order", "120161 0a0162"],
    ["a message in two parts", "3a020801 3a04 10c0843d"],
    ["a length beyond the end", "0a05 61"],
    ["a text that is not UTF-8", "0a01ff"],
    ["half a character", "0a01c3 1201a4"],
    ["half a surrogate pair", "0a03eda080"],
    ["a byte order mark", "0a03efbbbf"],
    ["a number for a text", "0801"],
    ["a time before 1970", "3a0b 08ffffffffffffffffff01"],
    ["a time after 9999", "3a07 0880dcdd8fb007"],
    ["a time with two seconds", "3a04 0801 0802"],
    ["too many nanos", "3a06 10ffffffff0f"],
    ["a time out of order", "3a04 1001 0801"],
    ["a struct with one key twice", "3212 0a070a016112022001 0a070a016112022000"],
    ["a struct without a value", "3205 0a030a0161"],
    ["a value with two kinds", "320b 0a090a0161 1204 2001 2000"],
    ["a number that JSON does not have", "3210 0a0e0a0161 1209 11000000000000f07f"],
    ["a null of another number", "3209 0a070a0161 12020801"],
    ["a tag of number 0", "0001"],
    ["a tag in six bytes", "8a8080808000 0161"],
    ["a tag over 32 bits", "8a808080700161"],
  ])("for %s", (_name, hex) => {
    compare(CopySchema, copyOf(hex), CopySchema.field.acquiredAt);
    compare(CopySchema, copyOf(hex), CopySchema.field.notes);
  });

  test("for lists that are packed where they should not be, and not where they should", () => {
    for (const field of compiledType.fields.filter(({ fieldKind }) => fieldKind === "list")) {
      const tag = (wireType: number) => varint((field.number << 3) | wireType);
      for (const hex of ["0203 04", "00", "01", "0102030405060708", "01020304"]) {
        const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
        for (const wireType of [0, 1, 2, 5]) {
          compare(compiledType, Buffer.concat([tag(wireType), bytes]), field);
          compare(compiledType, Buffer.concat([tag(wireType), bytes, tag(2), Buffer.from([1, 7])]), field);
        }
      }
    }
  });

  test("for messages in one another to the depth that the decoder takes", () => {
    const self = compiledType.fields.find(
      ({ message, fieldKind }) => message === compiledType && fieldKind === "message",
    );
    for (const depth of [1, 90, 100, 101, 216, 217, 218, 219, 226, 227, 228, 229, 300]) {
      let bytes: Uint8Array = Buffer.alloc(0);
      for (let level = 1; level < depth; level++) {
        bytes = Buffer.concat([varint(((self?.number ?? 0) << 3) | 2), varint(bytes.length), bytes]);
      }
      compare(compiledType, bytes, self);
    }
    for (const depth of [30, 50, 51, 64, 106, 107, 108, 109, 112, 113, 114]) {
      let json: unknown = 1;
      for (let level = 0; level < depth; level++) json = level % 2 === 0 ? [json] : { a: json };
      const message = create(CopySchema, { notes: { a: json } as never });
      compare(CopySchema, toBinary(CopySchema, message), undefined);
    }
  });

  test("at the limit of an answer, and above", () => {
    for (const name of ["", "x".repeat(70_000), "\u0001".repeat(70_000), "ä".repeat(70_000)]) {
      const bytes = toBinary(GetCopyResponseSchema, create(GetCopyResponseSchema, { copy: { name } }));
      for (const only of [undefined, GetCopyResponseSchema.field.copy]) {
        const size = generally(GetCopyResponseSchema, bytes, only).length;
        for (const limit of [size - 1, size, size + 1, 10]) {
          const expected = generally(GetCopyResponseSchema, bytes, only, limit);
          expect(compiled(GetCopyResponseSchema, bytes, only, limit)).toBe(expected);
        }
      }
    }
  });
});

describe("the compiled writer itself", () => {
  test("writes what services send, also the type with most kinds", () => {
    const at = { seconds: 1767323045n, nanos: 678_000_000 };
    const copy = { id: "ä", notes: { a: [1, null, { b: 2.5 }], c: "x" }, acquiredAt: at };
    const one = toBinary(GetCopyResponseSchema, create(GetCopyResponseSchema, { copy }));
    expect(isWritten(GetCopyResponseSchema, one, GetCopyResponseSchema.field.copy)).toBe(true);
    const list = create(ListCopiesResponseSchema, { page: 1, totalCount: 300, copies: [copy, copy] });
    expect(isWritten(ListCopiesResponseSchema, toBinary(ListCopiesResponseSchema, list))).toBe(true);
    expect(isWritten(compiledType, toBinary(compiledType, create(compiledType)))).toBe(true);
  });

  test("also writes a reply with fields that only a newer service knows", () => {
    expect(isWritten(CopySchema, Buffer.from("0a0161f83f01", "hex"))).toBe(true);
  });

  test("leaves to the decoder what it cannot write", () => {
    const left = everyKind.filter((type) => findWriter(type) === undefined).map(({ name }) => name);
    expect(left).toEqual(expect.arrayContaining(["Own0", "Chosen", "Mapped", "Reordered", "Named"]));
    expect(left).not.toContain("Compiled");
  });
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
