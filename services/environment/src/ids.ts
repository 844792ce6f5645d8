import type { Id } from "@cloud/access/values";

export type ConnectionId = Id<"connection">;
export type CredentialId = Id<"credential">;
