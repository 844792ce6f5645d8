import type { Message } from "@bufbuild/protobuf";
import type { ReadReply, Route, TranscoderCall } from "@cloud/transcoder";
import { requestIdOf } from "./request-id.ts";

/** Returns the status of a success: 201 for methods that create a record, 204 for DELETE, otherwise 200. */
export function statusOf(route: Route): number {
  if (route.httpMethod === "DELETE") return 204;
  return creates(route) ? 201 : 200;
}

/**
 * Returns the headers of a success, including the created record's location. Responses that need a token must not be
 * cached.
 */
export function headersOf({ request, route, path }: TranscoderCall, reply: ReadReply): Record<string, string> {
  const headers: { [name: string]: string; Location?: string } = {
    "X-Request-Id": requestIdOf(request),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
  if (route === undefined || !creates(route)) return headers;
  const id = createdId(route, reply());
  if (id !== "") headers.Location = `${path.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
  return headers;
}

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
