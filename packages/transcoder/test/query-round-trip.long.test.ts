import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { bindRequest } from "../src/binding/bind-request.ts";
import { isObject } from "../src/json-in/json-literals.ts";
import { hasOwnJson } from "../src/json-in/read-own-json.ts";
import type { Route } from "../src/rules/route.ts";
import { type SearchRequest, SearchRequestSchema } from "./gen/library/v1/library_pb.ts";
import { libraryRoutes } from "./library.ts";
import { randomMessage } from "./random-message.ts";
import { ruleFor } from "./routes.ts";

const [search] = libraryRoutes({ Search: ruleFor("GET /search") }) as [Route];
const UNLIMITED = { queryLimits: { length: Number.POSITIVE_INFINITY } };

type Parameter = readonly [name: string, value: string];

/** Writes a message's JSON as query parameters, in names and forms that `choose` decides. */
function parametersOf(type: DescMessage, json: JsonObject, prefix: string, choose: () => boolean): Parameter[] {
  return type.fields.flatMap((field) => {
    const value = json[field.jsonName];
    const name = prefix + (choose() ? field.name : field.jsonName);
    return value === undefined ? [] : fieldParameters(field, value, name, choose);
  });
}

function fieldParameters(field: DescField, value: JsonValue, name: string, choose: () => boolean): Parameter[] {
  if (Array.isArray(value) && field.fieldKind === "list") return value.map((item) => [name, textOf(field, item)]);
  if (field.fieldKind === "map" && isObject(value)) {
    const entries = Object.entries(value);
    // A key with a closing bracket has no name of its own.
    if (choose() || entries.some(([key]) => key.includes("]"))) return [[name, JSON.stringify(value)]];
    return entries.map(([key, item]) => [`${name}[${key}]`, textOf(field, item)]);
  }
  const isOpen = field.message !== undefined && !hasOwnJson(field.message) && isObject(value);
  if (isOpen && choose() && Object.keys(value).length > 0)
    return parametersOf(field.message, value, `${name}.`, choose);
  return [[name, textOf(field, value)]];
}

function textOf({ message }: DescField, json: JsonValue): string {
  const isJson = message !== undefined && !isWrapperDesc(message) && message.typeName !== "google.protobuf.Timestamp";
  if (isJson) return JSON.stringify(json);
  return Object.is(json, -0) ? "-0" : String(json);
}

test("a message written as a query is the message bound", () => {
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const message = randomMessage(SearchRequestSchema, draw) as SearchRequest;
      // Their random fields have no JSON.
      message.within = undefined;
      message.fields = undefined;
      const json = toJson(SearchRequestSchema, message) as JsonObject;
      const parameters = parametersOf(SearchRequestSchema, json, "", () => draw(fc.boolean));
      const query = parameters.map((one) => one.map(encodeURIComponent).join("=")).join("&");
      const bound: Message = bindRequest(search, { values: [], query, body: undefined }, UNLIMITED);
      expect(JSON.stringify(toJson(SearchRequestSchema, bound as SearchRequest))).toBe(JSON.stringify(json));
    }),
    { numRuns: 200 },
  );
});

test("a message written as JSON is the message bound", () => {
  const [create] = libraryRoutes({ Search: ruleFor("POST /search", { body: "*" }) }) as [Route];
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const message = randomMessage(SearchRequestSchema, draw) as SearchRequest;
      message.within = undefined;
      message.fields = undefined;
      const json = toJson(SearchRequestSchema, message, { useProtoFieldName: draw(fc.boolean) });
      const bound = bindRequest(create, { values: [], query: "", body: json });
      expect(toJson(SearchRequestSchema, bound as SearchRequest)).toEqual(toJson(SearchRequestSchema, message));
    }),
    { numRuns: 200 },
  );
});
