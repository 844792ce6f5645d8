import { type SqlText, sql } from "@cloud/postgres";

/** A record that clients create, and the limits of its values. */
export interface LimitedRecord {
  /** `<package>.<service>` without `Service`, such as `workspace.v1.Workspace`, which its RPCs are named after. */
  readonly name: string;
  readonly table: SqlText;
  /** Fields of at most 255 characters. */
  readonly texts: readonly string[];
  readonly hasMetadata: boolean;
  /** The reason for a longer text. */
  readonly tooLong: string;
}

const named = ["name", "description"];

export const LIMITED_RECORDS: readonly LimitedRecord[] = [
  {
    name: "workspace.v1.Workspace",
    table: sql`workspace.workspaces`,
    texts: named,
    hasMetadata: true,
    tooLong: "WORKSPACE_CREATE_FAILED",
  },
  {
    name: "environment.v1.Environment",
    table: sql`environment.environments`,
    texts: named,
    hasMetadata: true,
    tooLong: "ENVIRONMENT_CREATE_FAILED",
  },
  {
    name: "environment.v1.Connection",
    table: sql`environment.connections`,
    texts: [...named, "kind", "type", "status"],
    hasMetadata: true,
    tooLong: "INVALID_PARAMETER",
  },
  {
    name: "environment.v1.Credential",
    table: sql`environment.credentials`,
    texts: ["name", "type"],
    hasMetadata: false,
    tooLong: "INVALID_PARAMETER",
  },
  {
    name: "identity.v1.Team",
    table: sql`identity.teams`,
    texts: named,
    hasMetadata: false,
    tooLong: "INVALID_PARAMETER",
  },
  {
    name: "workspace.v1.Design",
    table: sql`workspace.designs`,
    texts: named,
    hasMetadata: false,
    tooLong: "INVALID_PARAMETER",
  },
  {
    name: "workspace.v1.View",
    table: sql`workspace.views`,
    texts: named,
    hasMetadata: false,
    tooLong: "INVALID_PARAMETER",
  },
];
