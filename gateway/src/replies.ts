import type { Message } from "@bufbuild/protobuf";
import type { ReadReply, ReplyHeaders, Route, TranscoderCall } from "@cloud/transcoder";
import { receivedRateLimitHeaders } from "./rate-limit-headers.ts";

/** Returns the status of a success: 201 for methods that create a record, 204 for DELETE, otherwise 200. */
export function statusOf(route: Route): number {
  if (route.httpMethod === "DELETE") return 204;
  return creates(route) ? 201 : 200;
}

/**
 * Returns the headers of a success, including the created record's location and what is left of rate limits. Responses
 * that need a token must not be cached.
 */
export function headersOf(call: TranscoderCall, reply: ReadReply, received: ReplyHeaders): Record<string, string> {
  const limits = receivedRateLimitHeaders(received);
  const headers = limits === undefined ? HEADERS : { ...HEADERS, ...limits };
  const location = locationOf(call, reply);
  return location === undefined ? headers : { ...headers, Location: location };
}

function locationOf({ route, path }: TranscoderCall, reply: ReadReply): string | undefined {
  if (route === undefined || !creates(route)) return undefined;
  const id = createdId(route, reply());
  return id === "" ? undefined : `${path.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
}

const HEADERS = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };

function creates({ method }: Route): boolean {
  return method.name.startsWith("Create");
}

// The record is the field returned in the response; for CreateToken, the first field of the reply, next to the secret.
function createdId({ method, responseField }: Route, reply: Message): string {
  const field = responseField ?? method.output.fields.find((candidate) => candidate.fieldKind === "message");
  const record: unknown = field && Reflect.get(reply, field.localName);
  const id: unknown = typeof record === "object" && record !== null && "id" in record ? record.id : "";
  return typeof id === "string" ? id : "";
}
