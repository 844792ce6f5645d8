import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { bindQuery, readValue } from "./bind-query.ts";
import { createMessage } from "./create-message.ts";
import { pathName } from "./find-field.ts";
import { placeLeaf } from "./place-leaf.ts";
import { readField, readMessage } from "./read-json.ts";
import type { Route } from "./route.ts";
import { TranscodingError } from "./transcoding-error.ts";

/** The parts of a request, with HTTP's own encodings decoded. */
export interface RequestParts {
  /** The decoded value of each path variable, in the template's order; undefined if an escape is malformed. */
  readonly values: readonly (string | undefined)[];
  /** The query string, as sent. */
  readonly query: string;
  /** The parsed body; undefined if there is none. */
  readonly body: JsonValue | undefined;
}

/**
 * Builds the RPC's request message from path, query and body. The path is bound last, so that no query parameter or
 * body field can change or clear its values. Throws a TranscodingError.
 */
export function bindRequest(route: Route, { values, query, body }: RequestParts): Message {
  const { input } = route.method;
  if (values.includes(undefined)) throw new TranscodingError("invalid-path");
  const message = bindBody(route, body);
  if (route.body !== "whole") {
    const taken = typeof route.body === "object" ? [...route.variables, [route.body]] : route.variables;
    bindQuery(input, query, taken, message);
  }
  for (const [index, fields] of route.variables.entries()) {
    const leaf = fields.at(-1);
    if (leaf) placeLeaf(message, fields, readValue(leaf, values[index] ?? "", pathName(fields)));
  }
  return toMessage(route, message);
}

function bindBody(route: Route, body: JsonValue | undefined): JsonObject {
  if (body === undefined || route.body === "none") return {};
  if (route.body === "whole") {
    const skip = new Set(route.variables.flatMap((fields) => (fields.length === 1 ? fields : [])));
    return readMessage(route.method.input, body ?? {}, "", skip);
  }
  if (body === null) return {};
  return { [route.body.jsonName]: readField(route.body, body, route.body.jsonName) };
}

// All fields have been checked; only oddities remain, such as two spellings of one map key.
function toMessage({ method }: Route, json: JsonObject): Message {
  try {
    return createMessage(method.input, json);
  } catch (cause) {
    const error = new TranscodingError("invalid-parameter", {
      parameter: "request",
      accepts: `a ${method.input.typeName}`,
    });
    error.cause = cause;
    throw error;
  }
}
