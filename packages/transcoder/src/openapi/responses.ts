import { STATUS_CODES } from "node:http";
import type { Route } from "../index.ts";
import { replyContent } from "./contents.ts";
import type { Header, Response } from "./document.ts";
import { ERROR_CONTENT } from "./error-content.ts";
import type { Failure, OpenapiOptions, OperationNotes } from "./openapi-options.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes the responses of a route by status: that of success, and those of the failures, in the order of status. */
export function describeResponses(
  route: Route,
  notes: OperationNotes,
  options: OpenapiOptions,
  schemas: SchemaCollection,
): Record<string, Response> {
  const { status = 200, failures, bodiless = {} } = notes;
  const success = withHeaders({ ...options.responseHeaders, ...notes.headers }, { description: phraseOf(status) });
  const others = Object.entries(bodiless).map(([code, { description, headers }]) => {
    return [code, withHeaders({ ...options.responseHeaders, ...headers }, { description })] as const;
  });
  const responses = {
    [status]: status === 204 ? success : { ...success, content: replyContent(route, schemas) },
    ...Object.fromEntries(others),
  };
  if (failures === undefined) return { ...responses, ...usualFailures(route, options) };
  const byStatus = Map.groupBy(failures, (failure) => failure.status);
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
  const failed = sorted.map(([code, group]) => [code, describeFailures(group, options)] as const);
  return { ...responses, ...Object.fromEntries(failed) };
}

function describeFailures(failures: readonly Failure[], options: OpenapiOptions): Response {
  const headers = Object.assign({}, options.responseHeaders, ...failures.map((failure) => failure.headers ?? {}));
  const description = failures.map(({ code, message }) => `\`${code}\`: ${message}`).join("\n\n");
  const content = options.errorContent ?? (() => ERROR_CONTENT);
  return { ...withHeaders(headers, { description }), content: content(failures.map(({ code }) => code)) };
}

function usualFailures({ body }: Route, options: OpenapiOptions): Record<string, Response> {
  const of = (description: string) => ({
    ...withHeaders({ ...options.responseHeaders }, { description }),
    content: ERROR_CONTENT,
  });
  const ofBody = { "413": of("The body is too large."), "415": of("The body is not JSON.") };
  return {
    "400": of("The path, the query or the body is not what the request takes; `details` has every violation."),
    ...(body === "none" ? {} : ofBody),
    default: of("Any other error of the call, with the status that its code maps to."),
  };
}

function withHeaders(headers: Readonly<Record<string, Header>>, response: Response): Response {
  return Object.keys(headers).length === 0 ? response : { ...response, headers };
}

function phraseOf(status: number): string {
  return status === 204 ? "Done; there is no body." : `${STATUS_CODES[status] ?? "Done"}.`;
}
