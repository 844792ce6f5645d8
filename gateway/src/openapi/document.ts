/** The part of OpenAPI 3.1 that the gateway writes and its reference page reads. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** The required permission key; absent if there is none. */
  readonly "x-permission"?: string;
  /** What determines the organization, by its name in proto/cloud/api/v1/options.proto, such as `RECORD`. */
  readonly "x-scope": string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: JsonContent };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema?: Schema;
  readonly content?: JsonContent;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | { readonly $ref: string }>>;
  readonly content?: JsonContent;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export type JsonContent = Readonly<Record<"application/json", { readonly schema: Schema }>>;

/** A JSON Schema, or a reference to one of the components. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}
