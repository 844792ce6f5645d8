import type { OpenapiDocument, Schema } from "@cloud/transcoder/openapi";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type ListedOperation, type ListedResponse, listOperations } from "./listed-operations.ts";

/** A reply of the gateway. Names of headers are in lower case; a body is undefined if there is none. */
export interface CheckedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Returns what the document does not say of a reply to a request of this method and path (without a query). */
export type CheckReply = (method: string, path: string, reply: CheckedReply) => string[];

/**
 * Creates the check of replies against a document. It demands more than a validator: a property that the document does
 * not have is a fault, too.
 */
export function createReplyCheck(document: OpenapiDocument): CheckReply {
  const compile = createCompiler(document);
  const routes = listOperations(document).map((listed) => ({ listed, pattern: patternOf(listed.path) }));
  const find = (method: string, path: string) =>
    routes
      .filter(({ listed, pattern }) => listed.method === method && pattern.test(path))
      .toSorted((a, b) => variablesOf(a.listed) - variablesOf(b.listed))[0]?.listed;
  return (method, path, reply) => {
    const known = method.toLowerCase() === "head" ? "get" : method.toLowerCase();
    const listed = find(known, unescaped(path));
    if (listed === undefined) return faultsOf(compile, OF_NO_OPERATION, reply);
    const response = listed.responses[String(reply.status)];
    if (response === undefined) return [`${listed.operation.operationId} lists no ${reply.status}`];
    if (method === "HEAD") return headerFaults(compile, response, reply);
    return [...headerFaults(compile, response, reply), ...faultsOf(compile, response, reply)];
  };
}

/** The reply to any path that no operation has. */
const OF_NO_OPERATION: ListedResponse = {
  description: "",
  headers: {},
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

type Compile = (schema: Schema) => ValidateFunction;

function createCompiler(document: OpenapiDocument): Compile {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [name, closed(schema)] as const);
  ajv.addSchema({ $id: "openapi:", components: { schemas: Object.fromEntries(schemas) } });
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"openapi:#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
    return validate;
  };
}

/** Refuses properties that an object does not list, unless it says that it has others. */
function closed(schema: Schema): Schema {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one)]));
    const isOpen = copy["type"] !== "object" || copy["properties"] === undefined || "additionalProperties" in copy;
    return isOpen ? copy : { ...copy, additionalProperties: false };
  };
  return visit(schema) as Schema;
}

function faultsOf(compile: Compile, { content }: ListedResponse, { headers, body }: CheckedReply): string[] {
  if (content === undefined) return body === undefined ? [] : ["a body where none is listed"];
  const type = String(headers["content-type"] ?? "");
  const schema = content[type]?.schema;
  if (schema === undefined) return [`the content type ${JSON.stringify(type)} is not listed`];
  const validate = compile(schema);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = "", params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function headerFaults(compile: Compile, response: ListedResponse, { headers }: CheckedReply): string[] {
  return Object.entries(response.headers).flatMap(([name, { required, schema }]) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return required ? [`the header ${name} is absent`] : [];
    return compile(schema)(schema.type === "integer" ? Number(value) : value) ? [] : [`the header ${name} is ${value}`];
  });
}

/** Letters and digits mean the same when they are escaped (RFC 3986, 6.2.2.2). */
function unescaped(path: string): string {
  return path.replace(/%(3\d|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent);
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{[^}]*\}/g, "[^/]*")}/?$`);
}

function variablesOf({ path }: ListedOperation): number {
  return path.split("{").length;
}
