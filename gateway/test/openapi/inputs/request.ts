import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { OpenapiDocument, Parameter, Schema } from "@cloud/transcoder/openapi";
import { type ListedOperation, resolveSchema } from "../listed-operations.ts";

/** The ids that a request can name. */
export interface Ids {
  /** The id by the path before `{id}`, or by the name of another parameter or field. */
  readonly [place: string]: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, JsonValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined for none. */
  readonly body: JsonObject | undefined;
}

/** Returns the schema of each field of an operation's body. */
export function bodyOf(document: OpenapiDocument, { operation }: ListedOperation): Schema {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return schema === undefined ? {} : resolveSchema(document, schema);
}

export function queryOf({ parameters }: ListedOperation): Parameter[] {
  return parameters.filter((parameter) => parameter.in === "query");
}

/** Creates a request with what the document requires, and with a name where nothing else would be updated. */
export function minimalRequest(document: OpenapiDocument, listed: ListedOperation, ids: Ids): Request {
  const { properties = {}, required = [] } = bodyOf(document, listed);
  const query = queryOf(listed).filter((parameter) => parameter.required);
  const named = listed.method === "put" && "name" in properties ? ["name"] : [];
  const fields = [...required, ...named].map((name) => [name, someValue(name, properties[name] ?? {}, ids)] as const);
  const path = listed.path.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const id = ids[name === "id" || name === "organizationId" ? listed.path.slice(0, at) : name];
    if (id === undefined) throw new Error(`no id for ${name} of ${listed.path}`);
    return id;
  });
  return {
    method: listed.method.toUpperCase(),
    path,
    query: Object.fromEntries(query.map(({ name, schema = {} }) => [name, someValue(name, schema, ids)])),
    body: listed.operation.requestBody && { ...Object.fromEntries(fields), ...invitee(listed) },
  };
}

/** Names the user of an invitation, which has two ways for it and requires neither. */
function invitee({ operation }: ListedOperation): JsonObject {
  return operation.operationId.startsWith("CreateInvitation") ? { email: `${randomUUID()}@example.com` } : {};
}

function someValue(name: string, schema: Schema, ids: Ids): JsonValue {
  if (schema.items) return [someValue(name, schema.items, ids)];
  const id = ids[name];
  if (id !== undefined && (schema.format === "uuid" || name === "orgId")) return id;
  if (schema.format === "email") return `${randomUUID()}@example.com`;
  return schema.enum?.[0] ?? schema.examples?.[0] ?? "x";
}

/** Returns the path with the query: lists repeated, objects as JSON. */
export function urlOf({ path, query }: Request): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => {
      const text = typeof one === "object" ? JSON.stringify(one) : String(one);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    }),
  );
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
}
