import { readFileSync } from "node:fs";

/** A part of a JSON schema, as far as the document uses it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema?: Schema;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Undefined if it takes none. */
  readonly body: Schema | undefined;
  /** The codes of errors that the document lists, by status; none for a success. */
  readonly codes: ReadonlyMap<number, ReadonlySet<string>>;
}

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** Reads every operation that the gateway documents. */
export function readOperations(): Operation[] {
  const text = readFileSync(new URL("../../../gateway/openapi.json", import.meta.url), "utf8");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Documented>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      name: documented.operationId + " " + method.toUpperCase() + " " + path,
      method: method.toUpperCase(),
      path,
      parameters: documented.parameters ?? [],
      body: documented.requestBody?.content["application/json"]?.schema,
      codes: new Map(
        Object.entries(documented.responses).map(([status, { description }]) => [
          Number(status),
          new Set(Array.from(description.matchAll(/^`([A-Z_]+)`/gm), ([, code = ""]) => code)),
        ]),
      ),
    })),
  );
}

/** Returns the operation of a method and a path. @throws Error for an unknown one */
export function requireOperation(method: string, path: string): Operation {
  const operation = readOperations().find((one) => one.method === method && one.path === path);
  if (operation === undefined) throw new Error(`no operation ${method} ${path}`);
  return operation;
}
