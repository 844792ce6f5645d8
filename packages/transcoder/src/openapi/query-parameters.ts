import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type FieldPath, hasOwnJson, type Route } from "../index.ts";
import { commentOf } from "./comments.ts";
import type { Parameter, Schema } from "./document.ts";
import { isRequired } from "./field-schema.ts";
import type { OpenapiOptions } from "./openapi-options.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes the parameters that a query binds: every field that neither the path nor the body binds. */
export function queryParameters(route: Route, options: OpenapiOptions, schemas: SchemaCollection): Parameter[] {
  if (route.body === "whole") return [];
  const fields = route.method.input.fields.filter((field) => field !== route.body);
  return fields.flatMap((field) => parametersOf([field]));

  function parametersOf(path: readonly DescField[]): Parameter[] {
    if (route.variables.some((bound) => isSame(bound, path))) return [];
    const field = path.at(-1);
    if (field === undefined) return [];
    if (field.fieldKind !== "message" || isText(field.message)) return [textParameter(path, field)];
    const isNested = path.slice(0, -1).some(({ message }) => message === field.message);
    const isJson = options.queryMessages === "json" || isNested || hasOwnJson(field.message);
    return isJson
      ? [jsonParameter(path, field)]
      : field.message.fields.flatMap((inner) => parametersOf([...path, inner]));
  }

  function textParameter(path: FieldPath, field: DescField): Parameter {
    const { description = commentOf(field), ...schema } = schemas.field("text", field);
    const shape = field.fieldKind === "map" ? { style: "deepObject", explode: true } : {};
    return {
      ...head(path, description),
      ...shape,
      schema: field.fieldKind === "list" ? textItems(field, schema) : schema,
    };
  }

  function jsonParameter(path: FieldPath, field: DescField): Parameter {
    const comment = field.message ? commentOf(field.message) : "";
    const { description = comment, ...schema } = schemas.field("text", field);
    return { ...head(path, description), content: { "application/json": { schema } } };
  }

  function head(path: FieldPath, description: string): Omit<Parameter, "schema" | "content"> {
    const name = path.map(({ jsonName }) => jsonName).join(".");
    const required = path.every((field) => isRequired(options, field));
    return { name, in: "query", ...(required && { required }), ...(description !== "" && { description }) };
  }
}

/** Items that are messages are JSON, each in a parameter of the same name. */
function textItems({ message }: DescField, schema: Schema): Schema {
  if (message === undefined || isText(message)) return schema;
  const items = { type: "string", contentMediaType: "application/json", contentSchema: schema.items ?? {} };
  return { ...schema, items };
}

/** Whether the form of a message in a query is one text, such as that of a time. */
function isText({ typeName }: DescMessage): boolean {
  return /^google\.protobuf\.(Timestamp|Duration|FieldMask|\w+(?<!List)Value)$/.test(typeName);
}

function isSame(bound: FieldPath, path: FieldPath): boolean {
  return bound.length === path.length && bound.every((field, index) => field === path[index]);
}
