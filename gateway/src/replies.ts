import type { Message } from "@bufbuild/protobuf";
import { CALLER_ID_HEADER, createsRecord } from "@cloud/contract";
import type { ReadReply, ReplyHeaders, Route, TranscoderCall } from "@cloud/transcoder";
import { followedRequest } from "./follow-requests.ts";

/** Returns the status of a success: 201 for methods that create a record, 204 for DELETE, otherwise 200. */
export function statusOf(route: Route): number {
  if (route.httpMethod === "DELETE") return 204;
  return createsRecord(route.method) ? 201 : 200;
}

/**
 * Returns the headers of a success, including the created record's location. Responses that need a token must not be cached.
 */
export function headersOf(
  { request, route, path }: TranscoderCall,
  reply: ReadReply,
  received: ReplyHeaders,
): Record<string, string> {
  const followed = followedRequest(request);
  const caller = received[CALLER_ID_HEADER];
  if (typeof caller === "string") followed.caller = caller;
  const headers: { [name: string]: string; Location?: string } = {
    "X-Request-Id": followed.correlation.requestId,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
  if (route === undefined || !hasLocation(route)) return headers;
  const id = createdId(route, reply());
  if (id !== "") headers.Location = `${path.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
  return headers;
}

/** Returns whether a success has the location of what it created. */
export const hasLocation = ({ method }: Route): boolean => createsRecord(method);

// The record is the field returned in the response; for CreateToken, the first field of the reply, next to the secret.
function createdId({ method, responseField }: Route, reply: Message): string {
  const field = responseField ?? method.output.fields.find((candidate) => candidate.fieldKind === "message");
  const record: unknown = field && Reflect.get(reply, field.localName);
  const id: unknown = typeof record === "object" && record !== null && "id" in record ? record.id : "";
  return typeof id === "string" ? id : "";
}
