import { type SqlText, sql } from "@cloud/postgres";
import type { Service } from "../schemas/service-schemas.ts";

/** The id of the nth record of any table. */
export const idOf = <Id extends string>(n: number) => n.toString(16).padStart(32, "0") as Id;

/** The ids of records, 16 bytes each. */
export const packed = (ids: readonly string[]): Uint8Array => Buffer.from(ids.join(""), "hex");

const id = (n: SqlText) => sql`lpad(to_hex(${n}), 32, '0')::uuid`;
const upTo = (count: SqlText) => sql`from generate_series(1, ${count}) n`;
/** The organization of the nth record: a tenth are in the seventh, the others are spread over 1,000. */
const organization = id(sql`case when n % 10 = 0 then 7 else n % 1000 + 1 end`);
/** Within the last 8 days. */
const moment = sql`now() - n * interval '35 seconds'`;

const outbox = sql`
  insert into outbox (subject, type, payload, published_at, stream_created_at, stream_sequence)
  select 'a', 'a', '', now() - n * interval '12 seconds', '2026', n
  ${upTo(sql`60000`)}`;
const inbox = sql`
  insert into inbox (consumer, event_id, received_at)
  select 'consumer', n, ${moment}
  ${upTo(sql`20000`)}`;

/** Enough rows that a wrong plan costs more than the right one. */
export const seeds: Readonly<Record<Service, readonly SqlText[]>> = {
  identity: [
    sql`insert into users (id, email) select ${id(sql`n`)}, n ${upTo(sql`10000`)}`,
    sql`insert into organizations (id, owner) select ${id(sql`n`)}, ${id(sql`n`)} ${upTo(sql`1000`)}`,
    sql`
      insert into memberships (organization_id, user_id, role_name)
      select ${organization}, ${id(sql`n`)}, 'User'
      ${upTo(sql`10000`)}`,
    sql`
      insert into teams (id, organization_id, created_at)
      select ${id(sql`n`)}, ${organization}, ${moment}
      ${upTo(sql`10000`)}`,
    sql`insert into team_members (team_id, user_id) select ${id(sql`n`)}, ${id(sql`n`)} ${upTo(sql`10000`)}`,
    sql`
      insert into tokens (id, user_id, digest, hint)
      select ${id(sql`n`)}, ${id(sql`n`)}, sha256(n::text::bytea), ''
      ${upTo(sql`10000`)}`,
    sql`insert into workspace_references (id, organization_id) select ${id(sql`n`)}, ${organization} ${upTo(sql`10000`)}`,
    sql`
      insert into preferences (user_id, selected_organization, selected_workspace)
      select ${id(sql`n`)}, ${organization}, ${id(sql`n`)}
      ${upTo(sql`10000`)}`,
    sql`
      insert into curricula (id, organization_id, visibility, slug, created_at)
      select ${id(sql`n`)}, ${organization}, 'public', n, ${moment}
      ${upTo(sql`10000`)}`,
    sql`
      insert into invitations (id, organization_id, user_id, email, role_names, status, expires_at, created_at)
      select ${id(sql`n`)}, ${organization}, case when n % 2 = 0 then ${id(sql`n`)} end, n, '{User}',
        (array['pending', 'accepted', 'revoked'])[n % 3 + 1], now() + n * interval '35 seconds', ${moment}
      ${upTo(sql`10000`)}`,
    sql`
      insert into audit_events (id, actor, action, target, organization_id, metadata, request_id, created_at)
      select ${id(sql`n`)}, '', 'member.added', '', ${organization}, '{}', '', ${moment}
      ${upTo(sql`20000`)}`,
    sql`insert into registrations (curriculum_id, user_id) select ${id(sql`n`)}, ${id(sql`n`)} ${upTo(sql`10000`)}`,
  ],
  environment: [
    sql`insert into organizations (id) select ${id(sql`n`)} ${upTo(sql`1000`)}`,
    sql`
      insert into environments (id, organization_id, name, description, created_at)
      select ${id(sql`n`)}, ${organization}, n, '', ${moment}
      ${upTo(sql`20000`)}`,
    sql`
      insert into credentials (id, organization_id, name, type, created_at)
      select ${id(sql`n`)}, ${organization}, n, '', ${moment}
      ${upTo(sql`20000`)}`,
    sql`
      insert into connections (id, organization_id, name, description, kind, type, status, credential_id, created_at)
      select ${id(sql`n`)}, ${organization}, n, '', '', '', '', ${id(sql`n`)}, ${moment}
      ${upTo(sql`20000`)}`,
    sql`
      insert into environment_connections (id, environment_id, connection_id)
      select ${id(sql`n`)}, ${id(sql`n`)}, ${id(sql`n`)}
      ${upTo(sql`20000`)}`,
  ],
  workspace: [
    sql`insert into organizations (id) select ${id(sql`n`)} ${upTo(sql`1000`)}`,
    sql`
      insert into workspaces (id, organization_id, name, description, owner, created_at)
      select ${id(sql`n`)}, ${organization}, n, '', '', ${moment}
      ${upTo(sql`20000`)}`,
    sql`
      insert into designs (id, organization_id, name, description, owner, visibility, created_at)
      select ${id(sql`n`)}, ${organization}, n, '', '', 'public', ${moment}
      ${upTo(sql`20000`)}`,
    sql`insert into views select * from designs`,
    sql`
      insert into assignments (id, workspace_id, kind, resource_id)
      select ${id(sql`n`)}, ${id(sql`n`)}, (array['team', 'environment', 'design', 'view'])[n % 4 + 1], ${id(sql`n`)}
      ${upTo(sql`20000`)}`,
    sql`insert into resource_references (kind, id) select 'team', ${id(sql`n`)} ${upTo(sql`20000`)}`,
    sql`
      insert into activity_events
        (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
      select ${id(sql`n`)}, ${organization}, ${organization}, '', 'create', 'success', '', '', '', ${moment}
      ${upTo(sql`20000`)}`,
    outbox,
    inbox,
  ],
};
