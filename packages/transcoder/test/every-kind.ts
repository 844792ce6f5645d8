import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  type FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

type Field = Parameters<typeof create<typeof FieldDescriptorProtoSchema>>[1];

const SCALARS = [
  Type.DOUBLE,
  Type.FLOAT,
  Type.INT64,
  Type.UINT64,
  Type.INT32,
  Type.FIXED64,
  Type.FIXED32,
  Type.BOOL,
  Type.STRING,
  Type.BYTES,
  Type.UINT32,
  Type.SFIXED32,
  Type.SFIXED64,
  Type.SINT32,
  Type.SINT64,
];
const COMPILED = ["Timestamp", "Struct", "ListValue"].map((name) => `.google.protobuf.${name}`);
const NOT_COMPILED = [
  "Value",
  "Any",
  "Duration",
  "FieldMask",
  "StringValue",
  "Int64Value",
  "BytesValue",
  "FloatValue",
  "UInt32Value",
].map((name) => `.google.protobuf.${name}`);
const DEPENDENCIES = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/** A message of the kinds that the compiled writer writes: every scalar alone, optional and repeated, and messages. */
function compiledFields(): Field[] {
  return [
    ...SCALARS.map((type) => ({ name: `one_${type}`, type })),
    ...SCALARS.map((type) => ({ name: `optional_${type}`, type, proto3Optional: true })),
    ...SCALARS.map((type) => ({ name: `many_${type}`, type, label: Label.REPEATED })),
    ...SCALARS.filter((type) => type !== Type.STRING && type !== Type.BYTES).map((type) => ({
      name: `loose_${type}`,
      type,
      label: Label.REPEATED,
      options: { packed: false },
    })),
    ...[".test.Colour", ".google.protobuf.NullValue"].flatMap((typeName, index) => [
      { name: `enum_${index}`, type: Type.ENUM, typeName },
      { name: `enums_${index}`, type: Type.ENUM, typeName, label: Label.REPEATED },
    ]),
    ...[...COMPILED, ".test.Compiled"].flatMap((typeName, index) => [
      { name: `message_${index}`, type: Type.MESSAGE, typeName },
      { name: `messages_${index}`, type: Type.MESSAGE, typeName, label: Label.REPEATED },
    ]),
  ];
}

function numbered(fields: readonly Field[]): Field[] {
  return fields.map((field, index) => {
    return { label: Label.OPTIONAL, number: 3 * index + 1, jsonName: field?.name ?? "", ...field };
  });
}

/** Gives each optional field the oneof of its own that protoc gives it. */
function message(name: string, fields: readonly Field[], oneofs: readonly string[] = []) {
  const names = [...oneofs];
  const field = numbered(fields).map((one) =>
    one?.proto3Optional === true ? { ...one, oneofIndex: names.push(`_${one.name}`) - 1 } : one,
  );
  return { name, field: field as never, oneofDecl: names.map((oneof) => ({ name: oneof })), nestedType: [] as never };
}

function singleFields(typeNames: readonly string[]): Field[] {
  return typeNames.map((typeName, index) => ({ name: `own_${index}`, type: Type.MESSAGE, typeName }));
}

const file: FileDescriptorProto = create(FileDescriptorProtoSchema, {
  name: "test.proto",
  package: "test",
  syntax: "proto3",
  dependency: DEPENDENCIES.map(({ proto }) => proto.name),
  enumType: [{ name: "Colour", value: ["NO_COLOUR", "RED", "GREEN"].map((name, number) => ({ name, number })) }],
  messageType: [
    message("Compiled", compiledFields()),
    message("Empty", []),
    ...NOT_COMPILED.map((typeName, index) => message(`Own${index}`, singleFields([typeName]))),
    message(
      "Chosen",
      [
        { name: "text", type: Type.STRING, oneofIndex: 0 },
        { name: "number", type: Type.INT32, oneofIndex: 0 },
        { name: "at", type: Type.MESSAGE, typeName: ".google.protobuf.Timestamp", oneofIndex: 0 },
      ],
      ["choice"],
    ),
    {
      ...message("Mapped", [
        { name: "texts", type: Type.MESSAGE, typeName: ".test.Mapped.TextsEntry", label: Label.REPEATED },
        { name: "times", type: Type.MESSAGE, typeName: ".test.Mapped.TimesEntry", label: Label.REPEATED },
      ]),
      nestedType: [
        entry("TextsEntry", { name: "value", type: Type.STRING }),
        entry("TimesEntry", { name: "value", type: Type.MESSAGE, typeName: ".google.protobuf.Timestamp" }),
      ] as never,
    },
    {
      name: "Reordered",
      field: [
        { name: "second", jsonName: "second", number: 2, type: Type.STRING, label: Label.OPTIONAL },
        { name: "first", jsonName: "first", number: 1, type: Type.STRING, label: Label.OPTIONAL },
      ],
    },
    message("Twice", [
      { name: "a", type: Type.STRING, jsonName: "same" },
      { name: "b", type: Type.STRING, jsonName: "same" },
    ]),
    message("Named", [
      { name: "a", type: Type.STRING, jsonName: "7" },
      { name: "b", type: Type.STRING, jsonName: 'ä"' },
    ]),
  ],
});

function entry(name: string, value: Field) {
  const key = { name: "key", jsonName: "key", number: 1, type: Type.STRING, label: Label.OPTIONAL };
  return {
    name,
    field: [key, { jsonName: "value", number: 2, label: Label.OPTIONAL, ...value }],
    options: { mapEntry: true },
  };
}

const registry = createFileRegistry(file, (name) => DEPENDENCIES.find(({ proto }) => proto.name === name));

/** Types with a field of every kind: the proto files of the project have few of them. */
export const everyKind: readonly DescMessage[] = [...registry].filter(
  (type): type is DescMessage => type.kind === "message" && type.typeName.startsWith("test."),
);

export const compiledType = everyKind.find(({ name }) => name === "Compiled") as DescMessage;
