import { create, createFileRegistry, type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import { bindRequest } from "./bind-request.ts";
import type { BindingOptions } from "./reading.ts";

/** A message within itself, whose JSON names have what the names of parameters are cut at. */
const file = create(FileDescriptorProtoSchema, {
  name: "names.proto",
  package: "names",
  syntax: "proto3",
  messageType: [
    {
      name: "Named",
      field: [
        { name: "w", jsonName: "w[x]", type: Type.INT32 },
        { name: "dotted", jsonName: "a.b", type: Type.INT32 },
        { name: "open", jsonName: "o[p", type: Type.INT32 },
        { name: "a", jsonName: "a", type: Type.MESSAGE, typeName: ".names.Named" },
        { name: "inner", jsonName: "in.ner", type: Type.MESSAGE, typeName: ".names.Named" },
        { name: "b", jsonName: "b", type: Type.MESSAGE, typeName: ".names.Leaf" },
        { name: "many", jsonName: "m[]", type: Type.INT32, label: Label.REPEATED },
      ].map((field, index) => ({ label: Label.OPTIONAL, ...field, number: index + 1 })),
    },
    { name: "Leaf", field: [{ name: "c", jsonName: "c", number: 1, type: Type.INT32, label: Label.OPTIONAL }] },
  ],
});
const named = createFileRegistry(file, () => undefined).getMessage("names.Named");
const [route] = libraryRoutes({ Search: ruleFor("GET /search") });

function query(text: string, options?: BindingOptions) {
  if (route === undefined || named === undefined) throw new Error("no route");
  const method = { ...route.method, input: named } as DescMethodUnary;
  return toJson(named, bindRequest({ ...route, method }, { values: [], query: text, body: undefined }, options));
}

describe("the name of a parameter is looked up before it is cut:", () => {
  test.each([
    ["w%5Bx%5D=5", { "w[x]": 5 }],
    ["w[x]=5", { "w[x]": 5 }],
    ["w=5", { "w[x]": 5 }],
    ["a.b=5", { "a.b": 5 }],
    ["o[p=5", { "o[p": 5 }],
    ["a[b].c=5", { a: { b: { c: 5 } } }],
    ["a.b.c=5", { a: { b: { c: 5 } } }],
    ["a.w[x]=5", { a: { "w[x]": 5 } }],
    ["a[w[x]]=5", { a: { "w[x]": 5 } }],
    ["a.a.b=5", { a: { "a.b": 5 } }],
    ["a[a.b]=5", { a: { "a.b": 5 } }],
    ["a.o[p=5", { a: { "o[p": 5 } }],
    ["in.ner.w[x]=5", { "in.ner": { "w[x]": 5 } }],
    ["in.ner[in.ner][b][c]=5", { "in.ner": { "in.ner": { b: { c: 5 } } } }],
    ["inner.w=5", { "in.ner": { "w[x]": 5 } }],
    ["m[]=1&m[]=2&many=3&many[]=4", { "m[]": [1, 2, 3, 4] }],
  ])("%s", (text, expected) => {
    expect(query(text)).toEqual(expected);
  });

  test("in any case, if the options say so", () => {
    expect(query("W[X]=5&A.IN.NER.W=6", { parameterNames: "any-case" })).toEqual({
      "w[x]": 5,
      a: { "in.ner": { "w[x]": 6 } },
    });
  });

  test.each(["w[y]=5", "w[x=5", "w[x]y=5", "a.b.b=5", "a[w[x]=5", "a.x.b=5", "in.ne=5"])("%s is unknown", (text) => {
    expect(() => query(text)).toThrow(/ is unknown/);
    expect(query(text, { unknownParameters: "ignore" })).toEqual({});
  });
});
