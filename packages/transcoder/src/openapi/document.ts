import type { JsonValue } from "@bufbuild/protobuf";

/** The part of an OpenAPI 3.1 document that `describeApi` writes. */
export interface OpenapiDocument {
  readonly openapi: "3.1.1";
  readonly info: Info;
  readonly jsonSchemaDialect: string;
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly security?: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

export interface Info {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** Operations by method in lower case. */
export type PathItem = Readonly<Record<string, Operation>>;

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly responses?: Readonly<Record<string, Response>>;
  readonly securitySchemes?: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly [extension: `x-${string}`]: JsonValue;
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
  readonly example?: JsonValue;
}

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** A JSON Schema of draft 2020-12, or a reference to one of the components. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
}
