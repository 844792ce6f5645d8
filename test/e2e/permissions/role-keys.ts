import { type Database, statement } from "@cloud/postgres";

/** Replaces the permission keys of the role by these. */
export async function setRoleKeys(identity: Database, role: string, keys: readonly string[]): Promise<void> {
  await identity.transaction(async (tx) => {
    await tx.query(statement`delete from role_permissions where role_name = $1`, [role]);
    await tx.query(
      statement`
        insert into role_permissions (role_name, permission_name)
        select $1::text, key
        from unnest($2::text[]) as key`,
      [role, keys],
    );
  });
}
