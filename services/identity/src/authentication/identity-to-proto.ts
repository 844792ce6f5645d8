import { create } from "@bufbuild/protobuf";
import type { RolePermissions } from "@cloud/contract";
import {
  type AuthenticateResponse,
  AuthenticateResponseSchema,
  MembershipSchema,
} from "@cloud/proto/identity/v1/auth_service_pb";
import type { RoleName } from "../memberships/role-rules.ts";
import type { IdentityRow } from "./identity-sql.ts";

/** The users of tokens, by the token's digest in hexadecimal. Their memberships have roles and no permissions yet. */
export interface Identities {
  readonly byDigest: ReadonlyMap<string, AuthenticateResponse>;
  /** Those of each role of a user. */
  readonly roles: RolePermissions;
}

/** Converts the rows of `selectIdentities` to API messages. */
export function identitiesToProto(rows: readonly IdentityRow[]): Identities {
  const byDigest = new Map<string, AuthenticateResponse>();
  const roles = new Map<RoleName, readonly string[]>();
  for (const row of rows) {
    const digest = row.digest.toString("hex");
    const { user_id: userId, token_id: tokenId, organization_id: organizationId, role_name: role } = row;
    const identity = byDigest.get(digest) ?? create(AuthenticateResponseSchema, { userId, tokenId });
    byDigest.set(digest, identity);
    if (organizationId === null || role === null) continue;
    // Parsed once per role: all rows are from one statement, and so of one moment.
    const permissions = roles.get(role) ?? (JSON.parse(row.permissions ?? "[]") as string[]);
    roles.set(role, permissions);
    addRole(identity, organizationId, role);
    if (role === "Provider Admin") identity.everywhere = [...permissions];
  }
  return { byDigest, roles };
}

/** Adds a role to the membership in the organization; the rows of one organization follow each other. */
function addRole({ memberships }: AuthenticateResponse, organizationId: string, role: RoleName): void {
  const last = memberships.at(-1);
  if (last?.organizationId === organizationId) last.roleNames.push(role);
  else memberships.push(create(MembershipSchema, { organizationId, roleNames: [role] }));
}
