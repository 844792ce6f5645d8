import { rpcName } from "./invalid-rules.ts";
import type { Route } from "./route.ts";

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
