import type { DescField, DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { PathTemplate } from "./path-template.ts";

/** One HTTP method on one path template, leading to one RPC. */
export interface Route {
  /** In upper case. */
  readonly httpMethod: string;
  readonly template: PathTemplate;
  readonly method: DescMethodUnary;
  readonly transport: Transport;
  /** The field that each variable of the template binds, in the template's order; a path of fields where nested. */
  readonly variables: readonly FieldPath[];
  readonly body: "none" | "whole" | DescField;
  /** The field of the reply that is answered; undefined for the whole reply. */
  readonly responseField: DescField | undefined;
}

export type FieldPath = readonly DescField[];
