import { type DescField, type DescMessage, type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { bindRequest } from "../src/binding/bind-request.ts";
import { parseJsonText } from "../src/json-in/parse-json.ts";
import type { Route } from "../src/rules/route.ts";
import { compiledType, everyKind } from "./every-kind.ts";
import { libraryRoutes } from "./library.ts";
import { ruleFor } from "./routes.ts";

const [inBody, inQuery, inPath] = ["POST /search", "GET /search", "GET /search/{count}"].map(
  (rule) => libraryRoutes({ Search: ruleFor(rule, rule.startsWith("POST") ? { body: "*" } : {}) })[0],
) as [Route, Route, Route];

/** Binds a request to a message of any type, and returns its JSON. */
function bind(route: Route, input: DescMessage, parts: Partial<Parameters<typeof bindRequest>[1]>, to?: DescField) {
  const method = { ...route.method, input } as DescMethodUnary;
  const variables = to === undefined ? [] : [[to]];
  const message = bindRequest({ ...route, method, variables }, { values: [], query: "", body: undefined, ...parts });
  return toJson(input, message);
}

/** Returns what a field becomes of its JSON in a body; `undefined` if it is refused. */
export function ofBody(field: DescField, json: string): unknown {
  const { parent, jsonName } = field;
  return attempt(() => bind(inBody, parent, { body: parseJsonText(`{"${jsonName}":${json}}`) }), jsonName);
}

/** Returns what a field becomes of its text in a query, and in a path. */
export function ofText(field: DescField, text: string): unknown[] {
  const { parent, jsonName } = field;
  const given = encodeURIComponent(text);
  const query = attempt(() => bind(inQuery, parent, { query: `${jsonName}=${given}` }), jsonName);
  if (field.fieldKind !== "scalar") return [query];
  return [query, attempt(() => bind(inPath, parent, { values: [text] }, field), jsonName)];
}

/** Returns what a field becomes of a query, which is written as a caller may; `undefined` if it is refused. */
export function ofQuery({ parent, jsonName }: DescField, query: string): unknown {
  return attempt(() => bind(inQuery, parent, { query }), jsonName);
}

function attempt(read: () => unknown, name: string): unknown {
  try {
    return (read() as Record<string, unknown>)[name] ?? "absent";
  } catch {
    return undefined;
  }
}

export function fieldOf(type: DescMessage, name: string): DescField {
  return type.fields.find((field) => field.name === name) as DescField;
}
const scalar = (type: number) => fieldOf(compiledType, `one_${type}`);
const ownOf = (typeName: string) =>
  everyKind.flatMap(({ fields }) => fields).find((field) => field.message?.typeName === typeName) as DescField;

/** Fields by the names of FieldDescriptorProto.Type, and of wrappers. */
export const FIELDS = {
  INT32: scalar(5),
  UINT32: scalar(13),
  INT64: scalar(3),
  UINT64: scalar(4),
  SINT32: scalar(17),
  SINT64: scalar(18),
  FIXED32: scalar(7),
  FIXED64: scalar(6),
  SFIXED32: scalar(15),
  SFIXED64: scalar(16),
  FLOAT: scalar(2),
  DOUBLE: scalar(1),
  ENUM: fieldOf(compiledType, "enum_0"),
  Int64Value: ownOf("google.protobuf.Int64Value"),
  UInt32Value: ownOf("google.protobuf.UInt32Value"),
  FloatValue: ownOf("google.protobuf.FloatValue"),
};
export type Kind = keyof typeof FIELDS;
