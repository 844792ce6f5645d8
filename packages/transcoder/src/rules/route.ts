import type { DescField, DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import type { RouteTransport } from "../calls/call-route.ts";
import type { PathTemplate } from "./path-template.ts";

/** One HTTP method on one path template, mapped to one RPC. */
export interface Route {
  /** In upper case. */
  readonly httpMethod: string;
  readonly template: PathTemplate;
  readonly method: DescMethodUnary | DescMethodServerStreaming;
  readonly transport: RouteTransport;
  /** The field bound by each variable, in the template's order; a path of fields if nested. */
  readonly variables: readonly FieldPath[];
  readonly body: "none" | "whole" | DescField;
  /** The field for the names of the fields that a body changes (AIP-134); undefined if the request has none. */
  readonly updateMask: DescField | undefined;
  /** The response field of the reply; undefined for the whole reply. */
  readonly responseField: DescField | undefined;
}

export type FieldPath = readonly DescField[];
