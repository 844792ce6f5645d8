import { create } from "@bufbuild/protobuf";
import {
  type AuthenticateResponse,
  AuthenticateResponseSchema,
  MembershipSchema,
} from "@cloud/proto/identity/v1/auth_service_pb";
import type { RoleName } from "../memberships/role-rules.ts";
import type { IdentityRow } from "./identity-sql.ts";

/** Converts the rows of `selectIdentities` to API messages, by the hexadecimal digest of their token. */
export function identitiesToProto(rows: readonly IdentityRow[]): ReadonlyMap<string, AuthenticateResponse> {
  const identities = new Map<string, AuthenticateResponse>();
  const permissionsOf = permissionReader();
  for (const row of rows) {
    const digest = row.digest.toString("hex");
    const identity =
      identities.get(digest) ?? create(AuthenticateResponseSchema, { userId: row.user_id, tokenId: row.token_id });
    identities.set(digest, identity);
    if (row.organization_id !== null && row.role_name !== null) {
      addRole(identity, row.organization_id, row.role_name, permissionsOf(row.role_name, row.permissions));
    }
  }
  return identities;
}

function addRole(
  identity: AuthenticateResponse,
  organizationId: string,
  role: RoleName,
  permissions: readonly string[],
): void {
  // The rows of an organization follow each other.
  let place = identity.memberships.at(-1);
  if (place?.organizationId !== organizationId) {
    place = create(MembershipSchema, { organizationId });
    identity.memberships.push(place);
  }
  place.roleNames.push(role);
  place.permissions = place.permissions.length === 0 ? [...permissions] : union(place.permissions, permissions);
  if (role === "Provider Admin") {
    identity.everywhere = [...permissions];
  }
}

const union = (some: readonly string[], others: readonly string[]) => [...new Set([...some, ...others])].sort();

/** Parses the permissions of each role once: all rows are from one statement, and so of one moment. */
function permissionReader() {
  const known = new Map<RoleName, readonly string[]>();
  return (role: RoleName, text: string | null): readonly string[] => {
    const permissions = known.get(role) ?? (JSON.parse(text ?? "[]") as string[]);
    known.set(role, permissions);
    return permissions;
  };
}
