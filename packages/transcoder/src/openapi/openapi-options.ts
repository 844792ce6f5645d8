import type { DescField, DescService, JsonValue } from "@bufbuild/protobuf";
import type { BindingOptions, JsonOptions, Route, RuleSources } from "../index.ts";
import type { Components, Content, Header, Info, OpenapiDocument, Parameter, Schema } from "./document.ts";

/** The options of a document: the services and rules that it describes, and what the program adds to them. */
export interface OpenapiOptions extends RuleSources {
  /**
   * Every service with methods to describe. Their comments are described if they come from a `FileDescriptorSet` with
   * source information, as `buf build` writes it; generated code contains none.
   */
  readonly services: readonly DescService[];
  /** The same as for the transcoder. */
  readonly binding?: BindingOptions;
  readonly json?: JsonOptions;
  readonly info: Info;
  readonly externalDocs?: OpenapiDocument["externalDocs"];
  readonly servers?: OpenapiDocument["servers"];
  readonly security?: OpenapiDocument["security"];
  readonly securitySchemes?: Components["securitySchemes"];
  /** Limits and examples of a field, beyond its type; none if absent. */
  readonly field?: (field: DescField) => FieldNotes;
  /** Returns the program's additions to an operation; none if absent. */
  readonly operation?: (route: Route, comment: string) => OperationNotes;
  /** Headers that every request may have. */
  readonly requestHeaders?: readonly Parameter[];
  /** Headers of every response, by name. */
  readonly responseHeaders?: Readonly<Record<string, Header>>;
  /**
   * A message in the query: one parameter for each of its fields, such as `filter.name`, or one that contains JSON.
   * Both are bound, whatever is described. "fields" if absent.
   */
  readonly queryMessages?: "fields" | "json";
  /** The body of an error with one of these codes; a google.rpc.Status if absent. */
  readonly errorContent?: (codes: readonly string[]) => Content;
  /** Schemas that `errorContent` refers to, by name. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

/** The declarations about a field. An absent one follows from its type. */
export interface FieldNotes {
  /** Whether a request without the field is refused, and every reply contains it. */
  readonly required?: boolean;
  readonly deprecated?: boolean;
  /** Keywords of the field's schema; for a list, but for `minItems` and `default`, of its items. */
  readonly schema?: Pick<
    Schema,
    | "format"
    | "enum"
    | "default"
    | "examples"
    | "pattern"
    | "minLength"
    | "maxLength"
    | "minimum"
    | "maximum"
    | "minItems"
  >;
}

/** The additions of a program to an operation. An absent one follows from the route. */
export interface OperationNotes {
  /** The name of the RPC for its first binding. */
  readonly operationId?: string;
  /** The entry in a menu; the RPC's name as words if absent. */
  readonly summary?: string;
  /** The comment of the RPC if absent. */
  readonly description?: string;
  readonly tag?: string;
  readonly deprecated?: boolean;
  /** Whether a request without a body is refused; if absent, it is where a field is required. */
  readonly bodyRequired?: boolean;
  /** The status of a success; 200 if absent. */
  readonly status?: number;
  /** Headers that a request may have, besides the headers of all requests. */
  readonly requestHeaders?: readonly Parameter[];
  /** The headers of a success, by name. */
  readonly headers?: Readonly<Record<string, Header>>;
  /** Responses without a body that are no error either, such as 304, by status. */
  readonly bodiless?: Readonly<Record<number, BodilessResponse>>;
  /** All failures that can occur; by default 400, 413 and 415 of the transcoder, and any other as `default`. */
  readonly failures?: readonly Failure[];
  readonly extensions?: Readonly<Record<`x-${string}`, JsonValue>>;
}

/** A response without a body. */
export interface BodilessResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
}

/** An error that an operation can return. */
export interface Failure {
  readonly status: number;
  /** A stable name, for programs. */
  readonly code: string;
  /** The text for users. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, Header>>;
}
