import { type SqlText, sql } from "@cloud/postgres";

/** What lists of members contain about a user. */
export interface Person {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly avatarUrl: string;
  readonly status: string;
}

/**
 * Returns the expression of a `Person`; its email is empty unless `viewer` may see it: the user themselves, Org Admins of an
 * organization of theirs and, where `viewer` is null, Provider Admins and services (as in get-user.ts).
 */
export const personOf = (user: SqlText, viewer: SqlText) => sql`
  (
    select json_build_object(
      'email', case when ${seesEmail(user, viewer)} then email else '' end,
      'firstName', first_name,
      'lastName', last_name,
      'avatarUrl', avatar_url,
      'status', status
    )
    from users
    where users.id = ${user}
  )`;

const seesEmail = (user: SqlText, viewer: SqlText) => sql`
  ${viewer}::uuid is null or ${viewer} = ${user} or exists (
    select
    from memberships mine
    join memberships theirs using (organization_id)
    join organizations o on o.id = organization_id and o.deleted_at is null
    where mine.user_id = ${viewer} and mine.role_name = 'Org Admin' and theirs.user_id = ${user}
  )`;
