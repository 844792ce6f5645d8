import type { Message } from "@bufbuild/protobuf";
import type { Route, TranscoderCall } from "@cloud/transcoder";

/** The status of a success: 201 for what creates a record, 204 for DELETE, else 200. */
export function statusOf(route: Route): number {
  if (route.httpMethod === "DELETE") return 204;
  return creates(route) ? 201 : 200;
}

/** The headers of a success: where the created record is found. Nothing that needs a token may be cached. */
export function headersOf({ route, path }: TranscoderCall, reply: Message): Record<string, string> {
  const headers = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };
  if (route === undefined || !creates(route)) return headers;
  const id = createdId(route, reply);
  return id === "" ? headers : { ...headers, Location: `${path.replace(/\/$/, "")}/${encodeURIComponent(id)}` };
}

function creates({ method }: Route): boolean {
  return method.name.startsWith("Create");
}

// The record is the field that is answered, or, of CreateToken, the first of the reply: it stands beside the secret.
function createdId({ method, responseField }: Route, reply: Message): string {
  const field = responseField ?? method.output.fields.find((candidate) => candidate.fieldKind === "message");
  const record: unknown = field && Reflect.get(reply, field.localName);
  const id: unknown = typeof record === "object" && record !== null && "id" in record ? record.id : "";
  return typeof id === "string" ? id : "";
}
