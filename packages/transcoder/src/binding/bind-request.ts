import type { JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { placeRaw, type RawBody } from "../bodies/http-body.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { readField, readMessage, takesNull } from "../json-in/read-json.ts";
import type { Route } from "../rules/route.ts";
import { bindPath } from "./bind-path.ts";
import { bindQuery } from "./bind-query.ts";
import type { BindingOptions } from "./binding-options.ts";
import { createMessage } from "./create-message.ts";
import { BODY, placeIn, withLiteral } from "./place.ts";
import { Reading } from "./reading.ts";
import { addUpdateMask } from "./update-mask.ts";

/** The parts of a request, with HTTP's own encodings decoded. */
export interface RequestParts {
  /** The decoded value of each path variable, in the template's order; undefined if an escape is malformed. */
  readonly values: readonly (string | undefined)[];
  /** The query string, as sent. */
  readonly query: string;
  /** The parsed body; undefined if there is none, or if it is bytes. */
  readonly body: JsonValue | undefined;
  /** The text of a body that is a number alone. */
  readonly literal?: string | undefined;
  /** A body that becomes a google.api.HttpBody; undefined if there is none. */
  readonly raw?: RawBody | undefined;
}

/**
 * Builds the RPC's request message from path, query and body. The path is bound last, so that no query parameter or
 * body field can change or clear its values. Throws a TranscodingError, with all violations.
 */
export function bindRequest(
  route: Route,
  { values, query, body, literal, raw }: RequestParts,
  options: BindingOptions = {},
): Message {
  if (values.includes(undefined)) throw new TranscodingError("invalid-path"); // protects: decoded-path
  const reading = new Reading(options);
  const json = reading.attempt(() => bindBody(reading, route, body, literal)) ?? {};
  reading.attempt(() => bindQuery(reading, route, query, json)); // protects: path-not-in-query
  bindPath(reading, route, values, json); // protects: path-last
  reading.assertSound();
  const message = toMessage(route, json, options);
  addUpdateMask(route, body, message);
  if (raw !== undefined) placeRaw(route, message, raw);
  return message;
}

function bindBody(
  reading: Reading,
  route: Route,
  body: JsonValue | undefined,
  literal: string | undefined,
): JsonObject {
  if (body === undefined || route.body === "none") return {};
  if (route.body === "whole") {
    const isSkipped = reading.options.pathConflicts === "ignore";
    const skip = new Set(isSkipped ? route.variables.flatMap((fields) => (fields.length === 1 ? fields : [])) : []);
    return readMessage(reading, route.method.input, body ?? {}, BODY, skip);
  }
  if (body === null && !takesNull(route.body)) return {};
  const place = placeIn(BODY, route.body.jsonName);
  const exact = literal === undefined ? place : withLiteral(place, literal);
  return { [route.body.jsonName]: readField(reading, route.body, body, exact) };
}

// All fields have been checked; only oddities remain, such as two spellings of one map key.
function toMessage({ method }: Route, json: JsonObject, { registry }: BindingOptions): Message {
  try {
    return createMessage(method.input, json, registry);
  } catch (cause) {
    const error = new TranscodingError("invalid-parameter", {
      parameter: "request",
      accepts: `a ${method.input.typeName}`,
    });
    error.cause = cause;
    throw error;
  }
}
