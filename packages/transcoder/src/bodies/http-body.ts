import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { FieldPath } from "../binding/place.ts";
import type { Route } from "../rules/route.ts";

/** A body that is passed on as it is: the fields of google.api.HttpBody. */
export interface RawBody {
  /** The content type; "" if the client has not declared it. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Whether a body is passed on as it is: its message, or the field that it is bound to, is a google.api.HttpBody. */
function isRaw(message: DescMessage, field: DescField | undefined): boolean {
  if (field === undefined) return message.typeName === HTTP_BODY;
  return field.fieldKind === "message" && field.message.typeName === HTTP_BODY;
}

/** Whether the body of a route's requests is passed on as it is. */
export function takesRaw({ body, method }: Route): boolean {
  return body !== "none" && isRaw(method.input, body === "whole" ? undefined : body);
}

/** Whether the body of a route's responses is passed on as it is. */
export function returnsRaw({ responseField, method }: Route): boolean {
  return isRaw(method.output, responseField);
}

/** Sets the bytes of a body in a request message. Fields that the path binds are final, also in the HttpBody. */
export function placeRaw({ body, variables, method }: Route, message: Message, raw: RawBody): void {
  if (body === "none") return;
  const prefix = body === "whole" ? [] : [body];
  const isBound = (name: string) => variables.some((path) => isAt(path, prefix, name));
  const target = body === "whole" ? message : requireMessage(message, body);
  const type = body === "whole" ? method.input : body.message;
  if (type === undefined) return;
  if (!isBound("content_type")) setField(target, type, "content_type", raw.contentType);
  if (!isBound("data")) setField(target, type, "data", raw.data);
}

/** Reads the fields of an HttpBody in a reply. */
export function readRaw({ responseField, method }: Route, reply: Message): RawBody {
  const body = responseField === undefined ? reply : fieldValue(reply, responseField);
  const type = responseField === undefined ? method.output : responseField.message;
  if (typeof body !== "object" || body === null || type === undefined) return { contentType: "", data: NOTHING };
  const contentType = fieldValue(body as Message, type.fields.find(named("content_type")));
  const data = fieldValue(body as Message, type.fields.find(named("data")));
  return {
    contentType: typeof contentType === "string" ? contentType : "",
    data: data instanceof Uint8Array ? data : NOTHING,
  };
}

/** Returns the media type that a response declares: that of the body, if it is one. */
export function responseType({ contentType }: RawBody): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(contentType) ? contentType : UNKNOWN_TYPE;
}

const HTTP_BODY = "google.api.HttpBody";
const UNKNOWN_TYPE = "application/octet-stream";
const NOTHING = new Uint8Array();

const named = (name: string) => (field: DescField) => field.name === name;

function isAt(path: FieldPath, prefix: FieldPath, name: string): boolean {
  return (
    path.length === prefix.length + 1 && prefix.every((field, at) => field === path[at]) && path.at(-1)?.name === name
  );
}

/** A oneof keeps its member under the name of the oneof. */
function requireMessage(message: Message, field: DescField): Message {
  const known = fieldValue(message, field);
  if (typeof known === "object" && known !== null) return known as Message;
  const created = create(field.message as DescMessage);
  if (field.oneof === undefined) Reflect.set(message, field.localName, created);
  else Reflect.set(message, field.oneof.localName, { case: field.localName, value: created });
  return created;
}

function setField(message: Message, type: DescMessage, name: string, value: unknown): void {
  const field = type.fields.find(named(name));
  if (field !== undefined) Reflect.set(message, field.localName, value);
}

function fieldValue(message: Message, field: DescField | undefined): unknown {
  if (field === undefined) return undefined;
  if (field.oneof === undefined) return Reflect.get(message, field.localName);
  const chosen = Reflect.get(message, field.oneof.localName) as { case?: string; value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
}
