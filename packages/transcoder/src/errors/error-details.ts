import {
  create,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Registry,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { type JsonPath, locateValues } from "../json-in/locate-json-error.ts";
import { hasOwnJson } from "../json-in/read-own-json.ts";
import type { Route } from "../rules/route.ts";
import { TranscodingError, type Violation } from "./transcoding-error.ts";

/** A detail of an error, as Any has it. */
interface Detail {
  readonly typeName: string;
  readonly value: Uint8Array;
}

/**
 * Returns the details of an RPC's error as JSON of google.protobuf.Any. One of a type that the registry does not have, or
 * that cannot be decoded, keeps its bytes: as base64, in `value`.
 */
export function detailsOf(error: ConnectError, registry: Registry | undefined): JsonObject[] {
  return error.details.map((detail) => detailJson(readDetail(detail), registry));
}

/** Returns after how many whole seconds a client should try again, by the RetryInfo of an error; undefined if it has none. */
export function retryAfter(error: ConnectError): number | undefined {
  const info = error.details.map(readDetail).find(({ typeName }) => typeName === "google.rpc.RetryInfo");
  const delay = info && readDelay(info.value);
  return delay && Math.max(0, Math.ceil(Number(delay.seconds) + delay.nanos / 1e9));
}

function readDetail(detail: ConnectError["details"][number]): Detail {
  if ("type" in detail) return { typeName: detail.type, value: detail.value };
  return { typeName: detail.desc.typeName, value: toBinary(detail.desc, create(detail.desc, detail.value)) };
}

function detailJson({ typeName, value }: Detail, registry: Registry | undefined): JsonObject {
  const url = `type.googleapis.com/${typeName}`;
  const type = registry?.getMessage(typeName);
  try {
    if (type !== undefined) {
      const json: JsonValue = toJson(type, fromBinary(type, value), { registry });
      return hasOwnJson(type) ? { "@type": url, value: json } : { "@type": url, ...(json as JsonObject) };
    }
  } catch {
    // What cannot be decoded, or has no JSON, is kept like an unknown type.
  }
  return { "@type": url, value: Buffer.from(value).toString("base64") };
}

/** Reads `google.protobuf.Duration retry_delay = 1`. */
function readDelay(bytes: Uint8Array): Duration | undefined {
  try {
    const reader = new BinaryReader(bytes);
    let delay: Duration | undefined;
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (number === 1 && wireType === WireType.LengthDelimited) delay = fromBinary(DurationSchema, reader.bytes());
      else reader.skip(wireType, number);
    }
    return delay;
  } catch {
    return undefined;
  }
}

/** Returns the error of a request with the line and column of each violation in its body. */
export function locateViolations(error: TranscodingError, body: Uint8Array, route: Route): TranscodingError {
  const { kind, detail, message } = error;
  const { position, parameter = "", violations = [] } = detail;
  if (position !== undefined) {
    const [place] = placesIn(new TextDecoder().decode(body), [position]);
    const violation: Violation = { in: "body", field: parameter, description: message, path: [], ...place };
    return new TranscodingError(kind, { ...detail, violations: [violation] });
  }
  const inBody = violations.filter((violation) => violation.in === "body");
  if (inBody.length === 0) return error;
  const text = new TextDecoder().decode(body);
  // The path of a violation begins at the request message, that of a value in the body at its field.
  const paths = inBody.map(({ path }): JsonPath => (typeof route.body === "object" ? path.slice(1) : path));
  const places = placesIn(text, locateValues(text, paths));
  const located = new Map(inBody.map((violation, index) => [violation, { ...violation, ...places[index] }]));
  return new TranscodingError(kind, { ...detail, violations: violations.map((one) => located.get(one) ?? one) });
}

interface TextPlace {
  readonly line?: number;
  readonly column?: number;
}

/** Returns the line and column of each index, from 1; nothing for none. */
function placesIn(text: string, indexes: readonly (number | undefined)[]): TextPlace[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return indexes.map((index) => {
    if (index === undefined) return {};
    const line = countUpTo(starts, index);
    return { line, column: index - (starts[line - 1] ?? 0) + 1 };
  });
}

/** Counts the numbers of a sorted list that are at most `limit`: by halves, because a body may have a million lines. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Returns the JSON of a google.rpc.BadRequest with all violations of a request, for the `details` of a google.rpc.Status;
 * undefined for an error that is of no field.
 */
export function badRequest({ detail }: TranscodingError): JsonObject | undefined {
  const { violations = [] } = detail;
  if (violations.length === 0) return undefined;
  const fieldViolations = violations.map((violation) => ({
    field: violation.field,
    description: violation.description + placeIn(violation),
  }));
  return { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations };
}

function placeIn({ line, column }: Violation): string {
  return line === undefined ? "" : ` (line ${line}, column ${column})`;
}
