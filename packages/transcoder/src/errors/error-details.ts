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
import { hasOwnJson } from "../json-in/read-own-json.ts";
import type { TranscodingError, Violation } from "./transcoding-error.ts";

/**
 * Returns the details of an RPC's error as JSON of google.protobuf.Any. A detail of a type that the registry does not
 * have, or that cannot be decoded, keeps its bytes: as base64, in `value`.
 */
export function detailsOf(error: ConnectError, registry: Registry | undefined): JsonObject[] {
  return error.details.map((detail) => detailJson(readDetail(detail), registry));
}

/**
 * Returns after how many whole seconds a client should try again, by the RetryInfo of an error; undefined if it has
 * none.
 */
export function retryAfter(error: ConnectError): number | undefined {
  const info = error.details.map(readDetail).find(({ typeName }) => typeName === "google.rpc.RetryInfo");
  const delay = info && readDelay(info.value);
  return delay && Math.max(0, Math.ceil(Number(delay.seconds) + delay.nanos / 1e9));
}

/**
 * Returns the JSON of a google.rpc.BadRequest with all violations of a request, for the `details` of a
 * google.rpc.Status; undefined for an error without violations.
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

/** A detail of an error, as Any has it. */
interface Detail {
  readonly typeName: string;
  readonly value: Uint8Array;
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
    // A detail that cannot be decoded, or has no JSON, is kept like an unknown type.
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
