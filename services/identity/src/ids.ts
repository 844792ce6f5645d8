import type { Id } from "@cloud/access/values";

export type TokenId = Id<"token">;
export type CurriculumId = Id<"curriculum">;
export type AuditEventId = Id<"audit event">;
export type InvitationId = Id<"invitation">;
