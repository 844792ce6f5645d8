import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { v7, validate } from "uuid";
import { fail } from "./fail.ts";
import { fieldRuleOf } from "./field-rule.ts";

declare const kind: unique symbol;
type Branded<Kind extends string> = string & { readonly [kind]: Kind };

export type OrganizationId = Branded<"organization">;
export type UserId = Branded<"user">;
export type WorkspaceId = Branded<"workspace">;
export type EnvironmentId = Branded<"environment">;
export type TeamId = Branded<"team">;
export type ConnectionId = Branded<"connection">;
export type CredentialId = Branded<"credential">;
export type TokenId = Branded<"token">;
export type CurriculumId = Branded<"curriculum">;
export type AuditEventId = Branded<"audit event">;
export type InvitationId = Branded<"invitation">;

/** The id of any kind of record. */
export type Id = Branded<string>;

/** Creates an id: UUID version 7, so that ids of one process increase with time and index pages fill in order. */
export function newId<T extends Id>(): T {
  return v7() as T;
}

/** Returns whether the text has the form of an id, in upper or lower case. */
export function isId(value: string): boolean {
  return validate(value);
}

/** Ids are opaque to clients, so a malformed id is reported like an unknown one. @throws the given reason. */
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

/** Returns what a look-up returned. @throws the given reason when that is undefined */
export function found<T>(row: T | undefined, notFound: Reason): T {
  if (row === undefined) throw fail(notFound);
  return row;
}

/** Specification, section 8: names and descriptions. */
const { maxLength: MAX_TEXT_LENGTH } = fieldRuleOf(FieldKind.TEXT);

/**
 * Parses a name or description of at most 255 characters, counted as Unicode code points. @throws the error that
 * `tooLong` creates.
 */
export function parseText(value: string, tooLong: () => Error): string {
  if (isLongerThan(value, MAX_TEXT_LENGTH)) throw tooLong();
  // Postgres cannot store U+0000 in text.
  return value.replaceAll("\u0000", "");
}

/** Compares the length of a text, in Unicode code points. */
export function isLongerThan(value: string, length: number): boolean {
  // UTF-16 units are an upper bound, so only long texts need the exact count.
  return value.length > length && [...value].length > length;
}

/** Parses a text of at most 255 characters. @throws INVALID_PARAMETER with the parameter's name. */
export function parseTextParameter(parameter: string, value: string): string {
  const accepts = "at most " + String(MAX_TEXT_LENGTH) + " characters";
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}

/** Parses the name and the description that an update sends; one that it does not send is absent. @throws INVALID_PARAMETER. */
export function parseNameChanges({ name, description }: NameChanges): { name?: string; description?: string } {
  return {
    ...(name !== undefined && { name: parseTextParameter("name", name) }),
    ...(description !== undefined && { description: parseTextParameter("description", description) }),
  };
}

interface NameChanges {
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
