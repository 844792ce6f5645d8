import type { IncomingHttpHeaders } from "node:http";
import type { DescField, DescMethodServerStreaming, DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { FieldPath } from "../binding/place.ts";
import { rpcName } from "./http-rules.ts";
import type { PathTemplate } from "./path-template.ts";

/** A mapping of one HTTP method on one path template to one RPC. */
export interface Route {
  /** The HTTP method in upper case; "*" for any. */
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

/** The transport of a route: one of Connect's, which may also pass messages as bytes. */
export interface RouteTransport extends Transport {
  /**
   * Calls an RPC with the encoded `message` and returns the reply, which is not decoded. Throws the ConnectErrors of
   * `unary`. An abort of `signal` ends the call.
   */
  unaryBinary?(
    method: DescMethodUnary,
    signal: AbortSignal,
    deadlineMs: number,
    headers: Readonly<Record<string, string>>,
    message: Uint8Array,
  ): Promise<BinaryReply>;
}

export interface BinaryReply {
  readonly message: Uint8Array;
  readonly headers: ReplyHeaders;
}

/** Headers by their names in lower case. */
export type ReplyHeaders = Readonly<IncomingHttpHeaders>;

/** Writes a line for each route, sorted by path: method, template, RPC, and what the bodies are bound to. */
export function printRoutes(routes: readonly Route[]): string {
  const rows = routes
    .toSorted(
      (one, other) => compare(one.template.text, other.template.text) || compare(one.httpMethod, other.httpMethod),
    )
    .map(({ httpMethod, template, method, body, responseField }) => [
      httpMethod,
      template.text,
      rpcName(method) + (method.methodKind === "unary" ? "" : " (stream)"),
      body === "none" ? "" : `body: ${body === "whole" ? "*" : body.name}`,
      responseField === undefined ? "" : `response: ${responseField.name}`,
    ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
