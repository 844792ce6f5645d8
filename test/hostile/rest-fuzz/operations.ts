import { readFileSync } from "node:fs";
import type { OpenapiDocument } from "@cloud/transcoder/openapi";
import { listOperations, resolveSchema } from "../../../gateway/test/openapi/listed-operations.ts";

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

/** Reads every operation that the gateway documents, but streams, which have no end. */
export function readOperations(): Operation[] {
  const text = readFileSync(new URL("../../../gateway/openapi.json", import.meta.url), "utf8");
  const document = JSON.parse(text) as OpenapiDocument;
  const operations = listOperations(document).filter(({ responses }) => !isStream(responses["200"]));
  return operations.map(({ path, method, operation, parameters, responses }) => {
    const body = operation.requestBody?.content["application/json"]?.schema;
    return {
      name: operation.operationId + " " + method.toUpperCase() + " " + path,
      method: method.toUpperCase(),
      path,
      parameters,
      body: body && resolveSchema(document, body),
      codes: new Map(
        Object.entries(responses).map(([status, { description }]) => [
          Number(status),
          new Set(Array.from(description.matchAll(/^`([A-Z_]+)`/gm), ([, code = ""]) => code)),
        ]),
      ),
    };
  });
}

const isStream = (success: { readonly content?: object } | undefined): boolean =>
  success?.content !== undefined && "text/event-stream" in success.content;

/** Returns the operation of a method and a path. @throws Error for an unknown one */
export function requireOperation(method: string, path: string): Operation {
  const operation = readOperations().find((one) => one.method === method && one.path === path);
  if (operation === undefined) throw new Error(`no operation ${method} ${path}`);
  return operation;
}
