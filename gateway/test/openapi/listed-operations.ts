import type {
  Header,
  OpenapiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
} from "@cloud/transcoder/openapi";

/** An operation of a document, with the shared parts in it. */
export interface ListedOperation {
  readonly path: string;
  /** The HTTP method in lower case. */
  readonly method: string;
  readonly operation: Omit<Operation, "parameters" | "responses">;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, ListedResponse>>;
}

export interface ListedResponse extends Response {
  readonly headers: Readonly<Record<string, Header>>;
}

/** Lists the operations of a document in its order. Only references to shared parts other than schemas are replaced. */
export function listOperations(document: OpenapiDocument): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], responses, ...operation }]) => ({
      path,
      method,
      operation,
      parameters: parameters.map((one) => resolve<Parameter>(document, one)),
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, one]) => [status, listResponse(document, one)]),
      ),
    })),
  );
}

/** Returns the schema that a reference is to, or the schema itself. */
export function resolveSchema(document: OpenapiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolve<Schema>(document, { $ref: schema.$ref });
}

function listResponse(document: OpenapiDocument, response: Response | Reference): ListedResponse {
  const resolved = resolve<Response>(document, response);
  const headers = Object.entries(resolved.headers ?? {});
  return {
    ...resolved,
    headers: Object.fromEntries(headers.map(([name, one]) => [name, resolve<Header>(document, one)])),
  };
}

function resolve<Part extends object>(document: OpenapiDocument, part: Part | Reference): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const [, section = "", kind = "", name = ""] = part.$ref.split("/");
  const parts: unknown = Reflect.get(Reflect.get(document, section) as object, kind);
  return Reflect.get(parts as object, name) as Part;
}
