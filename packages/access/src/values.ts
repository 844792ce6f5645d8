import type { JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { uuidv7 as v7 } from "uuidv7";
import { fieldRuleOf } from "./access-rule.ts";
import { fail } from "./errors/fail.ts";

declare const type: unique symbol;

/**
 * The id of a type of record; of any type, if none is named. The `ids.ts` of a service has the types that no other one
 * uses.
 */
export type Id<Type extends string = string> = string & { readonly [type]: Type };

export type OrganizationId = Id<"organization">;
export type UserId = Id<"user">;
export type WorkspaceId = Id<"workspace">;
export type EnvironmentId = Id<"environment">;
export type TeamId = Id<"team">;

/** Creates an id: UUID version 7, so that ids of one process increase with time and index pages fill in order. */
export function newId<T extends Id>(): T {
  return v7() as T;
}

/** UUIDs of RFC 9562: of versions 1 to 8, or of zeros or ones alone. */
const UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(?:-0{4}){3}-0{12}|f{8}(?:-f{4}){3}-f{12})$/i;

/** Returns whether the text has the form of an id, in upper or lower case. */
export function isId(value: string): boolean {
  return UUID.test(value);
}

/**
 * Parses an id. A malformed one is reported like an unknown one, because ids are opaque to clients.
 *
 * @throws the given reason.
 */
export function parseId<T extends Id>(value: string, notFound: Reason): T {
  if (!isId(value)) {
    throw fail(notFound);
  }
  return value.toLowerCase() as T;
}

/** Parses the organization of a create request. @throws ORGANIZATION_ID_REQUIRED, ORGANIZATION_ID_INVALID. */
export function parseOrganizationId(value: string): OrganizationId {
  if (value === "") {
    throw fail(Reason.ORGANIZATION_ID_REQUIRED);
  }
  return parseId<OrganizationId>(value, Reason.ORGANIZATION_ID_INVALID);
}

/** The most ids of one look-up: 1,000 records of the longest texts are about 2 MB, well below the message limit. */
export const MAX_IDS = 1_000;

/** Parses the ids of a look-up and drops malformed ones, which name nothing. @throws INVALID_PARAMETER above 1,000. */
export function parseIds<T extends Id>(ids: readonly string[]): T[] {
  if (ids.length > MAX_IDS) throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "at most 1,000 ids" });
  return ids.filter(isId) as T[];
}

/** Returns the row of a look-up. @throws the given reason if there is none */
export function orThrow<T>(row: T | undefined, notFound: Reason): T {
  if (row === undefined) throw fail(notFound);
  return row;
}

/** The longest name or description (specification, section 8). */
const { maxLength: MAX_TEXT_LENGTH } = fieldRuleOf(FieldKind.TEXT);

/**
 * Parses a name or description of at most 255 characters, counted as Unicode code points.
 *
 * @throws the error that `tooLong` creates.
 */
export function parseText(value: string, tooLong: () => Error): string {
  if (isLongerThan(value, MAX_TEXT_LENGTH)) throw tooLong();
  // Postgres cannot store U+0000 in text.
  return value.replaceAll("\u0000", "");
}

/** Returns whether a text is longer than `length` Unicode code points. */
export function isLongerThan(value: string, length: number): boolean {
  // UTF-16 units are an upper bound, so only long texts need the exact count.
  return value.length > length && [...value].length > length;
}

/** Parses a text of at most 255 characters. @throws INVALID_PARAMETER with the parameter's name. */
export function parseTextParameter(parameter: string, value: string): string {
  const accepts = "at most " + String(MAX_TEXT_LENGTH) + " characters";
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}

/**
 * Parses the name and the description of an update; the result lacks what the update does not send.
 *
 * @throws INVALID_PARAMETER.
 */
export function parseNameChanges({ name, description }: NameChanges): { name?: string; description?: string } {
  return {
    ...(name !== undefined && { name: parseTextParameter("name", name) }),
    ...(description !== undefined && { description: parseTextParameter("description", description) }),
  };
}

/** The changes of the texts of a record; absent fields are not changed. */
export interface NameChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * Returns the text as searches compare it, like `search_text` of the services' schemas
 * (packages/service/migrations/0009_search_text.sql).
 */
export function searchText(text: string): string {
  return text.normalize("NFD").toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll("ß", "ss");
}

/** Converts a column's time; null becomes undefined. */
export function timestampToProto(date: Date): Timestamp;
export function timestampToProto(date: Date | null): Timestamp | undefined;
export function timestampToProto(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}

const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 1_000;
/** The deepest nesting of objects and arrays, the metadata itself included. */
const MAX_LEVELS = 32;

/**
 * Returns metadata as jsonb takes it: its strings and keys without U+0000, which Postgres refuses. Absent metadata is
 * empty.
 *
 * @throws INVALID_PARAMETER over 64 KiB of JSON with its numbers written out, 1,000 keys in all its objects, or 32
 * levels, for a number that is not finite, and for half of a surrogate pair
 */
export function parseMetadata(metadata: JsonObject = {}): string {
  // Before JSON.stringify, which recurses: metadata that a service decodes itself may be nested too deeply for it.
  assertNesting(metadata);
  let keys = 0;
  let digits = 0;
  const json = JSON.stringify(metadata, (_key, value: unknown) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) keys += Object.keys(value).length;
    if (typeof value === "number") digits += hiddenDigits(finite(value));
    return storable(value);
  });
  if (keys > MAX_KEYS) throw refused("of at most 1,000 keys"); // protects: metadata-keys
  if (Buffer.byteLength(json) + digits > MAX_BYTES) throw refused("of at most 64 KiB"); // protects: metadata-bytes
  return json;
}

function assertNesting(value: unknown, level = 1): void {
  if (typeof value !== "object" || value === null) return;
  if (level > MAX_LEVELS) throw refused("nested at most 32 deep"); // protects: metadata-levels
  for (const one of Object.values(value)) assertNesting(one, level + 1);
}

/** Returns how many digits Postgres writes out that the exponent hides: 1e308 has 309, and 64 KiB of it were 3.4 MB. */
function hiddenDigits(value: number): number {
  const exponent = /e[+-](\d+)$/.exec(String(value))?.[1];
  return exponent === undefined ? 0 : Number(exponent);
}

/** Refuses 1e400, which is read as infinity: JSON cannot contain it, so it would be stored as null. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw refused("of numbers that a double can hold");
  return value;
}

function refused(limit: string) {
  return fail(Reason.INVALID_PARAMETER, { parameter: "metadata", accepts: "a JSON object " + limit });
}

function storable(value: unknown): unknown {
  if (typeof value === "string") {
    return storableText(value);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [storableText(key), one]));
}

/** Refuses half of a surrogate pair, which JSON can spell and UTF-8 cannot contain: it would be stored as U+FFFD. */
function storableText(text: string): string {
  if (!text.isWellFormed())
    throw fail(Reason.INVALID_PARAMETER, { parameter: "metadata", accepts: "of valid Unicode" });
  return text.replaceAll("\u0000", "");
}
