import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { type FieldPath, hasOwnJson, isSamePath, type Route } from "../index.ts";
import { commentOf } from "./comments.ts";
import type { Operation, Parameter, RequestBody, Schema } from "./document.ts";
import type { ExpandedPath, PathPart } from "./expand-path.ts";
import { isRequired } from "./field-schema.ts";
import type { OpenapiOptions, OperationNotes } from "./openapi-options.ts";
import { describeResponses, isRaw, json, RAW } from "./responses.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes a route, at its path. */
export function describeOperation(
  route: Route,
  { parameters: parts }: ExpandedPath,
  operationId: string,
  options: OpenapiOptions,
  schemas: SchemaCollection,
): Operation {
  const { method } = route;
  const comment = commentOf(method);
  const notes = options.operation?.(route, comment) ?? {};
  const { description = comment, extensions = {} } = notes;
  const requestBody = describeBody(route, notes, options, schemas);
  const parameters = [
    ...parts.map((part) => pathParameter(method, part, schemas)),
    ...queryParameters(route, options, schemas),
    ...(notes.requestHeaders ?? []),
    ...(options.requestHeaders ?? []),
  ];
  return {
    operationId: notes.operationId ?? operationId,
    tags: [notes.tag ?? tagOf(route)],
    summary: notes.summary ?? wordsOf(method),
    ...(description !== "" && { description }),
    ...(notes.deprecated === true && { deprecated: true }),
    ...extensions,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: describeResponses(route, notes, options, schemas),
  };
}

/** Returns the group of an operation in a menu: the service, without the word. */
function tagOf({ method }: Route): string {
  return method.parent.name.replace(/(?<=.)(Service|API)$/, "");
}

/** Returns the name of an RPC as words: `AssignEnvironment` as "Assign environment". */
function wordsOf({ name }: DescMethod): string {
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  const isAcronym = (word: string) => /^[A-Z0-9]{2,}$/.test(word);
  return words.map((word, index) => (index === 0 || isAcronym(word) ? word : word.toLowerCase())).join(" ");
}

function pathParameter(
  method: DescMethod,
  { name, field, partOf, isDeep }: PathPart,
  schemas: SchemaCollection,
): Parameter {
  const bound = field?.at(-1);
  const { description = idOf(method, bound), ...schema } = bound ? schemas.field("text", bound) : { type: "string" };
  const owner = partOf?.map(({ jsonName }) => jsonName).join(".");
  const sentences = [
    description,
    owner === undefined ? "" : `A part of \`${owner}\`.`,
    isDeep ? "Any number of segments: its slashes are sent as they are." : "",
  ];
  const text = sentences.filter((one) => one !== "").join(" ");
  return { name, in: "path", required: true, ...(text !== "" && { description: text }), schema };
}

/** Describes `team_id` as "The id of the team.", and `id` by the record that the RPC's name ends with. */
function idOf({ name }: DescMethod, field: DescField | undefined): string {
  const record = /^(?:(.+)_)?id$/.exec(field?.name ?? "");
  if (record === null) return "";
  const [, ...words] = name.split(/(?=[A-Z])/);
  return `The id of the ${(record[1] ?? words.join("_")).replaceAll("_", " ").toLowerCase()}.`;
}

function describeBody(
  { body, method, variables }: Route,
  { bodyRequired }: OperationNotes,
  options: OpenapiOptions,
  schemas: SchemaCollection,
): RequestBody | undefined {
  if (body === "none") return undefined;
  if (isRaw(body === "whole" ? method.input : body.message)) return { required: bodyRequired ?? false, content: RAW };
  if (body === "whole") {
    const bound = (fields: readonly { readonly name: string }[]) => variables.some(([first]) => fields[0] === first);
    const needed = method.input.fields.some((field) => !bound([field]) && isRequired(options, field));
    const schema = schemas.body(method.input, variables, method.input.name);
    return { required: bodyRequired ?? needed, content: json(schema) };
  }
  const below = variables.filter(([first]) => first === body).map(([, ...rest]) => rest);
  const isMessage = body.fieldKind === "message" && below.length > 0;
  const schema = isMessage ? schemas.body(body.message, below, `${method.name}Body`) : schemas.field("input", body);
  return { required: bodyRequired ?? isRequired(options, body), content: json(schema) };
}

/** Describes the parameters that a query binds: every field that neither the path nor the body binds. */
function queryParameters(route: Route, options: OpenapiOptions, schemas: SchemaCollection): Parameter[] {
  if (route.body === "whole") return [];
  const fields = route.method.input.fields.filter((field) => field !== route.body);
  return fields.flatMap((field) => parametersOf([field]));

  function parametersOf(path: readonly DescField[]): Parameter[] {
    if (route.variables.some((bound) => isSamePath(bound, path))) return [];
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

/** Describes items that are messages: each is JSON, in a parameter of the same name. */
function textItems({ message }: DescField, schema: Schema): Schema {
  if (message === undefined || isText(message)) return schema;
  const items = { type: "string", contentMediaType: "application/json", contentSchema: schema.items ?? {} };
  return { ...schema, items };
}

/** Whether the form of a message in a query is one text, such as that of a time. */
function isText({ typeName }: DescMessage): boolean {
  return /^google\.protobuf\.(Timestamp|Duration|FieldMask|\w+(?<!List)Value)$/.test(typeName);
}
