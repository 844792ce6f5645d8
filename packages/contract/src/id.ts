import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { v7, validate } from "uuid";
import { fail } from "./fail.ts";

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
