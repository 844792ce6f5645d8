import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { file_library_v1_media } from "../../test/gen/library/v1/media_pb.ts";
import { NO_TRANSPORT } from "../../test/routes.ts";
import { compileRoutes } from "./compile-routes.ts";
import { InvalidDescriptors, readServices } from "./read-services.ts";

/** Returns files and all that they import, each after what it imports, as protoc writes them. */
function closure(files: readonly DescFile[], found = new Map<string, FileDescriptorProto>()): FileDescriptorProto[] {
  for (const { dependencies, proto } of files) {
    closure(dependencies, found);
    found.set(proto.name, proto);
  }
  return [...found.values()];
}

const FILES = closure([file_library_v1_media]);
const setOf = (file: readonly FileDescriptorProto[]) =>
  toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [...file] }));

/** Returns the message of the error that is thrown. */
function faultOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidDescriptors) return error.message;
    throw error;
  }
  return undefined;
}

describe("bytes are refused:", () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const without = (name: string) => setOf(FILES.filter((file) => file.name !== name));
  const LACKS = "which the FileDescriptorSet lacks; protoc adds it by --include_imports";
  const annotations = "google/api/annotations.proto";

  test.each<[string, Uint8Array, string]>([
    ["none", new Uint8Array(), "the FileDescriptorSet has no service"],
    ["text", text('syntax = "proto3";'), "the bytes are no FileDescriptorSet"],
    ["JSON", text('{"file":[]}'), "the bytes are no FileDescriptorSet"],
    ["gzip", new Uint8Array([0x1f, 0x8b, 8, 0]), "the bytes are no FileDescriptorSet"],
    ["cut", setOf(FILES).subarray(0, -1), "the bytes are no FileDescriptorSet"],
    ["no service", setOf(FILES.filter(({ service }) => service.length === 0)), "the FileDescriptorSet has no service"],
    [
      "without what a file imports",
      without(annotations),
      `library/v1/library.proto: imports ${annotations}, ${LACKS}\nlibrary/v1/media.proto: imports ${annotations}, ${LACKS}`,
    ],
  ])("%s", (_, bytes, message) => {
    expect(faultOf(() => readServices(bytes))).toBe(message);
  });

  test("with a type that no file declares", () => {
    const file = create(FileDescriptorProtoSchema, {
      name: "a.proto",
      syntax: "proto3",
      service: [{ name: "A", method: [{ name: "B", inputType: ".no.Such", outputType: ".no.Such" }] }],
    });
    expect(() => readServices(setOf([file]))).toThrow(/^the FileDescriptorSet is invalid: .*no\.Such/);
  });

  test.each([
    ["library.v1.LibaryService", ": did you mean library.v1.LibraryService?"],
    ["x", ""],
    ["", ""],
  ])("by the name %j", (name, hint) => {
    const message = `the FileDescriptorSet has no service "${name}"${hint}`;
    expect(faultOf(() => readServices(setOf(FILES), [name]))).toBe(message);
  });
});

const routesOf = (bytes: Uint8Array) =>
  compileRoutes(
    readServices(bytes).map((service) => ({ service, transport: NO_TRANSPORT })),
    {},
  );

test("without names all files' services are returned, with names these, in their order", () => {
  const namesOf = (names?: readonly string[]) => readServices(setOf(FILES), names).map(({ typeName }) => typeName);
  expect(namesOf()).toEqual(["library.v1.LibraryService", "library.v1.MediaService"]);
  expect(namesOf(["library.v1.MediaService", "library.v1.LibraryService"])).toEqual([
    "library.v1.MediaService",
    "library.v1.LibraryService",
  ]);
  expect(namesOf(["library.v1.MediaService"])).toEqual(["library.v1.MediaService"]);
});

test("their rules are found in the bytes of their options", () => {
  expect(routesOf(setOf(FILES)).map(({ httpMethod, template }) => `${httpMethod} ${template.text}`)).toEqual(
    expect.arrayContaining(["GET /v1/{name=shelves/*/books/*}", "GET /v1/{parent=shelves/*}/books:watch"]),
  );
});

test("an option that cannot be decoded is a fault of its RPC", () => {
  const broken = structuredClone(FILES);
  const method = broken.flatMap(({ service }) => service).find(({ name }) => name === "MediaService")?.method[0];
  // The option google.api.http, with a length that exceeds the bytes after it.
  const option = { no: 72295728, wireType: 2, data: new Uint8Array([2, 0x12, 5]) };
  if (method !== undefined) method.options = create(MethodOptionsSchema, {});
  Object.assign(method?.options ?? {}, { $unknown: [option] });
  expect(() => routesOf(setOf(broken))).toThrow(
    /^library\/v1\/media\.proto: library\.v1\.MediaService\.GetCover: the rule cannot be read: /,
  );
});
