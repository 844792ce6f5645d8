import type { Message } from "@bufbuild/protobuf";
import { bindRequest } from "../binding/bind-request.ts";
import type { RawBody } from "../bodies/http-body.ts";
import { locateViolations } from "../errors/locate-violations.ts";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { CONTENT_ENCODINGS, decodeBody, encodingOf } from "../http/content-encoding.ts";
import { isBodiless } from "../http/http-request.ts";
import { requireJson } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import { parseJson } from "../json-in/parse-json.ts";
import { takesNull } from "../json-in/read-json.ts";
import type { RouteMatch } from "../matching/route-table.ts";
import type { TranscoderCall, TranscoderOptions } from "../transcoder-options.ts";
import type { Endpoint } from "./endpoint.ts";

/** Waits for what is still to be read of a request: of node:http, sends 100 Continue. */
export type Proceed = (() => void) | undefined;

/** The message of a request, and whether its body has anything but `null`. */
export interface ReadMessage {
  readonly message: Message;
  readonly hasBody: boolean;
}

/**
 * Reads the body of a request and binds it with path and query; without a body at once, which saves a promise. Throws, or
 * rejects with, a TranscodingError with all violations, ClientDisconnected, or what the hook `largeBody` throws.
 */
export function readMessage(
  options: TranscoderOptions,
  endpoint: Endpoint,
  call: TranscoderCall,
  match: RouteMatch,
  query: string,
  proceed: Proceed,
): ReadMessage | Promise<ReadMessage> {
  if (isBodiless(call.request)) return bind(endpoint, call, match, query, NOTHING);
  return readBytes(options, endpoint, call, proceed).then((bytes) => bind(endpoint, call, match, query, bytes));
}

const NOTHING = Buffer.alloc(0);

function bind(
  endpoint: Endpoint,
  call: TranscoderCall,
  { values }: RouteMatch,
  query: string,
  bytes: Buffer,
): ReadMessage {
  const { route, binding } = endpoint;
  try {
    const raw = endpoint.takesRaw ? rawBody(call, bytes) : undefined;
    const body = endpoint.takesRaw ? undefined : readJson(endpoint, bytes);
    const literal = typeof body === "number" ? bytes.toString() : undefined;
    const message = bindRequest(route, { values, query, body, literal, raw }, binding);
    return { message, hasBody: body !== undefined || raw !== undefined };
  } catch (error) {
    throw error instanceof TranscodingError ? locateViolations(error, bytes, route) : error;
  }
}

async function readBytes(
  options: TranscoderOptions,
  { route, bodyLimit, takesRaw }: Endpoint,
  call: TranscoderCall,
  proceed: Proceed,
): Promise<Buffer> {
  const { headers } = call.request;
  const { jsonTypes = "suffix", requestEncodings = CONTENT_ENCODINGS, decodingRatio = 100, hooks } = options;
  const isBound = route.body !== "none";
  if (isBound && !takesRaw) requireJson(headers, route.httpMethod, jsonTypes);
  const encoding = isBound ? encodingOf(headers, requestEncodings) : undefined;
  const bytes = await readBody(call.request, bodyLimit, async () => hooks?.largeBody?.(call), proceed);
  if (encoding === undefined || bytes.length === 0) return bytes;
  return await decodeBody(bytes, encoding, { size: bodyLimit, ratio: decodingRatio });
}

function rawBody({ request: { headers } }: TranscoderCall, data: Buffer): RawBody | undefined {
  const contentType = headers["content-type"];
  if (data.length === 0 && contentType === undefined) return undefined;
  return { contentType: contentType ?? "", data };
}

/** Returns undefined for `null`, too, which only a google.protobuf.Value has as its JSON. */
function readJson({ route, binding }: Endpoint, bytes: Buffer) {
  if (route.body === "none") {
    if (bytes.length > 0 && binding.unboundBody !== "ignore") throw new TranscodingError("unexpected-body");
    return undefined;
  }
  const json = bytes.length === 0 ? undefined : parseJson(bytes, binding.jsonDepth);
  return json === null && (route.body === "whole" || !takesNull(route.body)) ? undefined : json;
}
