-- The schema after all migrations, rendered from the catalog. After a new migration:
-- UPDATE_DOCS=1 npm test -- packages/service/test/schemas

CREATE OR REPLACE FUNCTION assert_locked(locked bigint, wanted bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if locked is distinct from wanted then
    raise exception 'locked % of % rows', locked, wanted using errcode = 'LK001';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION change_etag()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'identity'
AS $function$
begin
  new.etag := new_etag();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION count_copied_links()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'identity'
AS $function$
declare
  organizations uuid[];
begin
  select array_agg(distinct organization_id)
  into organizations
  from (
    select organization_id
    from (
      select id, organization_id, 1 as change from new_rows where deleted_at is null
      union all
      select id, organization_id, -1 from old_rows where deleted_at is null
    ) changes
    group by id, organization_id
    having sum(change) <> 0
  ) changed;
  if organizations is null then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared('link_copies'::regclass::oid::integer, hashtext(id::text))
  from unnest(organizations) id;
  -- In order, so that two deletions do not deadlock.
  perform
  from link_copies
  where organization_id = any(organizations)
  order by workspace_id
  for no key update;
  if not found then
    return null;
  end if;
  update link_copies
  set live_links = live_links + counted.change
  from (
    select copies.workspace_id, sum(change) as change
    from (
      select id, organization_id, 1 as change from new_rows where deleted_at is null
      union all
      select id, organization_id, -1 from old_rows where deleted_at is null
    ) changes
    join link_copies copies using (organization_id)
    -- A look-up for each of them: statistics lag behind what was just copied, so a join might read all links.
    where (select true from copied_links where workspace_id = copies.workspace_id and record_id = changes.id)
    group by copies.workspace_id
  ) counted
  where link_copies.workspace_id = counted.workspace_id and counted.change <> 0;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_of_organization()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, count(*)
      from new_rows
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, -count(*)
      from old_rows
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_records()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, count(*)
      from new_rows
      where deleted_at is null
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'UPDATE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, sum(change)
      from (
        select organization_id, 1 as change from new_rows where deleted_at is null
        union all
        select organization_id, -1 from old_rows where deleted_at is null
      ) changes
      group by organization_id
      having sum(change) <> 0
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, -count(*)
      from old_rows
      where deleted_at is null
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_team_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, team_id, own_slot, count(*)
      from new_rows
      group by team_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, team_id, own_slot, -count(*)
      from old_rows
      group by team_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, user_id, own_slot, count(*)
      from new_rows
      group by user_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, user_id, own_slot, -count(*)
      from old_rows
      group by user_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION email_key(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (lower((email COLLATE "C")) COLLATE "default");

CREATE OR REPLACE FUNCTION fold_letters(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN replace(replace(lower((upper((value COLLATE "und-x-icu")) COLLATE "und-x-icu")), 'ς'::text, 'σ'::text), 'ß'::text, 'ss'::text);

CREATE OR REPLACE FUNCTION keys_query(folded text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  part text := left(folded, 48);
  key text;
  wanted tsquery;
begin
  for n in 1 .. greatest(char_length(part), 3) - 2 loop
    continue when n % 3 <> 1 and n <> char_length(part) - 2;
    key := '''' || replace(replace(substr(part, n, 3), '\', '\\'), '''', '''''') || '''';
    if char_length(part) < 3 then
      key := key || ':*';
    end if;
    wanted := case when wanted is null then key::tsquery else wanted && key::tsquery end;
  end loop;
  return wanted;
end
$function$;

CREATE OR REPLACE FUNCTION link_hash(id uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select ('x' || left(encode(sha256(uuid_send(id)), 'hex'), 11))::bit(44)::bigint
$function$;

CREATE OR REPLACE FUNCTION name_of(first_name text, last_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select btrim(first_name || ' ' || last_name)
$function$;

CREATE OR REPLACE FUNCTION new_etag()
 RETURNS text
 LANGUAGE sql
AS $function$
  select '"' || right(replace(gen_random_uuid()::text, '-', ''), 16) || '"'
$function$;

CREATE OR REPLACE FUNCTION new_event_id()
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select encode(
    set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$function$;

CREATE OR REPLACE FUNCTION purge_audit_events(after text, age integer, most integer)
 RETURNS TABLE(deleted integer, last text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
declare
  oldest_kept constant timestamptz := now() - make_interval(days => age);
  newest_id constant uuid := (
    lpad(to_hex((extract(epoch from oldest_kept + interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20)
  )::uuid;
begin
  if age is null or age < 30 then
    raise exception 'lines of the log are kept for at least 30 days' using errcode = 'check_violation';
  end if;
  return query
    with expired as (
      select log.ctid as place, log.id
      from audit_events log
      where log.id > coalesce(nullif(after, ''), '00000000-0000-0000-0000-000000000000')::uuid
        and log.id < newest_id
        and log.created_at < oldest_kept
      order by log.id
      limit most
      for update skip locked
    ),
    gone as (
      delete from audit_events
      where ctid = any(array(select place from expired))
    )
    select count(*)::integer, max(expired.id::text collate "C")
    from expired;
end
$function$;

CREATE OR REPLACE FUNCTION reserve_count_slot(counted_table oid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  slot integer := 0;
begin
  while not pg_try_advisory_xact_lock(counted_table::integer, slot) loop
    slot := slot + 1;
  end loop;
  return slot;
end
$function$;

CREATE OR REPLACE FUNCTION search_keys(scope uuid, value text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT COST 10000
 SET search_path TO 'identity'
AS $function$
declare
  folded text := search_text(value);
  typed text := case when octet_length(value) = char_length(value) then folded else fold_letters(value) end;
  keys text[] := array[chr(1) || scope];
begin
  for n in 1 .. char_length(folded) loop
    keys[n + 1] := substr(folded, n, 3);
  end loop;
  if typed <> folded then
    for n in 1 .. char_length(typed) loop
      keys := keys || substr(typed, n, 3);
    end loop;
  end if;
  return array_to_tsvector(keys);
end
$function$;

CREATE OR REPLACE FUNCTION search_query(scope uuid, value text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'identity'
AS $function$
declare
  folded text := search_text(value);
  typed text := fold_letters(value);
  wanted tsquery := keys_query(folded);
begin
  if typed <> folded then
    wanted := wanted || keys_query(typed);
  end if;
  if scope is not null then
    wanted := ('''' || chr(1) || scope || '''')::tsquery && wanted;
  end if;
  return wanted;
end
$function$;

CREATE OR REPLACE FUNCTION search_text(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(value) = char_length(value)) THEN (lower((value COLLATE "C")) COLLATE "und-x-icu") ELSE fold_letters(NORMALIZE(value, NFD)) END;

CREATE OR REPLACE FUNCTION unpacked_ids(packed bytea)
 RETURNS SETOF uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select encode(substr(packed, 16 * n + 1, 16), 'hex')::uuid
  from generate_series(0, octet_length(packed) / 16 - 1) n
$function$;

CREATE OR REPLACE FUNCTION update_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
begin
  case tg_op
    when 'INSERT' then
      insert into members as kept (organization_id, user_id, name, email, created_at)
      select given.organization_id, u.id, name_of(u.first_name, u.last_name), u.email, min(given.created_at)
      from new_rows given
      join users u on u.id = given.user_id and u.deleted_at is null
      group by given.organization_id, u.id
      order by given.organization_id, u.id
      on conflict (organization_id, user_id) do update set updated_at = greatest(kept.updated_at, clock_timestamp());
    when 'DELETE' then
      delete from members
      using (select distinct organization_id, user_id from old_rows) taken
      where members.organization_id = taken.organization_id and members.user_id = taken.user_id
        and not exists (
          select
          from memberships
          where organization_id = taken.organization_id and user_id = taken.user_id
        );
      update members
      set updated_at = greatest(members.updated_at, clock_timestamp())
      from (select distinct organization_id, user_id from old_rows) taken
      where members.organization_id = taken.organization_id and members.user_id = taken.user_id;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION update_members_of_users()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
begin
  delete from members
  using new_rows u
  where members.user_id = u.id and u.deleted_at is not null;
  insert into members as kept (organization_id, user_id, name, email, created_at)
  select given.organization_id, u.id, name_of(u.first_name, u.last_name), u.email, min(given.created_at)
  from new_rows u
  join memberships given on given.user_id = u.id
  where u.deleted_at is null
  group by given.organization_id, u.id, u.first_name, u.last_name, u.email
  order by given.organization_id, u.id
  on conflict (organization_id, user_id) do update set name = excluded.name, email = excluded.email
  where (kept.name, kept.email) <> (excluded.name, excluded.email);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION wrong_counts(repair boolean)
 RETURNS TABLE(list text, scope uuid, counted bigint, rows bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'identity'
AS $function$
#variable_conflict use_column
begin
  if repair then
    -- Two of them would correct the same difference twice.
    perform pg_advisory_xact_lock('live_counts'::regclass::oid::integer, 0);
  end if;
  return query
    with kept as (
      select list, scope, sum(count) as count
      from live_counts
      group by list, scope
    ),
    wrong as (
      select list, scope, coalesce(kept.count, 0)::bigint as counted, coalesce(sizes.count, 0)::bigint as rows
      from kept
      full join list_sizes sizes using (list, scope)
      where coalesce(kept.count, 0) <> coalesce(sizes.count, 0)
    ),
    repaired as (
      insert into live_counts as corrected (list, scope, slot, count)
      select list, scope, -1, rows - counted
      from wrong
      where repair
      on conflict (list, scope, slot) do update set count = corrected.count + excluded.count
    )
    select list collate "default", scope, counted, rows
    from wrong
    order by list, scope;
end
$function$;

create sequence outbox_publications as bigint;

create table audit_events (
  id uuid not null,
  actor text not null,
  action text not null,
  target text not null,
  organization_id uuid,
  metadata jsonb not null,
  request_id text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  xact xid8 not null default pg_current_xact_id(),
  constraint audit_events_pkey PRIMARY KEY (id),
  constraint audit_events_action_check CHECK ((length(action) <= 64)),
  constraint audit_events_actor_check CHECK ((length(actor) <= 64)),
  constraint audit_events_metadata_check CHECK ((octet_length((metadata)::text) <= 4096)),
  constraint audit_events_request_id_check CHECK ((length(request_id) <= 128)),
  constraint audit_events_target_check CHECK ((length(target) <= 128))
);

create table begun_tries (
  consumer text not null,
  event_id text not null,
  tries integer not null,
  waits boolean not null default false,
  constraint begun_tries_pkey PRIMARY KEY (consumer, event_id)
);

create table copied_links (
  workspace_id uuid not null,
  record_id uuid not null,
  constraint copied_links_pkey PRIMARY KEY (workspace_id, record_id)
);

create table curricula (
  id uuid not null,
  organization_id uuid not null,
  title text not null default ''::text,
  description text not null default ''::text,
  type text not null default ''::text,
  level text not null default ''::text,
  visibility text not null,
  status text not null default ''::text,
  slug text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  etag text not null default new_etag(),
  constraint curricula_slug UNIQUE (organization_id, slug),
  constraint curricula_pkey PRIMARY KEY (id),
  constraint curricula_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint curricula_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'public'::text, 'published'::text])))
);

create table ending_organizations (
  id uuid not null,
  constraint ending_organizations_pkey PRIMARY KEY (id),
  constraint ending_organizations_id_fkey FOREIGN KEY (id) REFERENCES organizations(id)
);

create table idempotent_replies (
  key_digest bytea not null,
  request_digest bytea not null,
  reply bytea not null default '\x'::bytea,
  created_at timestamp with time zone not null default now(),
  constraint idempotent_replies_pkey PRIMARY KEY (key_digest),
  constraint idempotent_replies_key_digest_check CHECK ((length(key_digest) = 32)),
  constraint idempotent_replies_request_digest_check CHECK ((length(request_digest) = 32))
);

create table inbox (
  consumer text not null,
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint inbox_pkey PRIMARY KEY (consumer, event_id)
);

create table installation (
  id uuid not null default gen_random_uuid(),
  only_row boolean not null default true,
  constraint installation_only_row_key UNIQUE (only_row),
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_only_row_check CHECK (only_row)
);

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  email text not null default ''::text,
  role_names text[] not null,
  invited_by uuid,
  status text not null default 'pending'::text,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  etag text not null default new_etag(),
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint invitations_invitee CHECK (((user_id IS NOT NULL) OR (email <> ''::text))),
  constraint invitations_role_names_check CHECK ((cardinality(role_names) > 0)),
  constraint invitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'revoked'::text, 'expired'::text])))
);

create table link_copies (
  workspace_id uuid not null,
  organization_id uuid not null,
  "position" text not null default ''::text,
  links bigint not null default 0,
  hash numeric not null default 0,
  live_links bigint not null default 0,
  used_at timestamp with time zone not null default now(),
  constraint link_copies_pkey PRIMARY KEY (workspace_id)
);

create table live_counts (
  list text collate "C" not null,
  scope uuid not null,
  slot integer not null,
  count bigint not null,
  constraint live_counts_pkey PRIMARY KEY (list, scope, slot)
);

create table members (
  organization_id uuid not null,
  user_id uuid not null,
  name text not null,
  email text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint members_pkey PRIMARY KEY (organization_id, user_id),
  constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table memberships (
  organization_id uuid not null,
  user_id uuid not null,
  role_name text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint memberships_pkey PRIMARY KEY (organization_id, user_id, role_name),
  constraint memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint memberships_role_name_fkey FOREIGN KEY (role_name) REFERENCES roles(name),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table organizations (
  id uuid not null,
  name text not null default ''::text,
  description text not null default ''::text,
  owner uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint organizations_pkey PRIMARY KEY (id),
  constraint organizations_owner_fkey FOREIGN KEY (owner) REFERENCES users(id)
);

create table outbox (
  id uuid not null default new_event_id(),
  subject text not null,
  type text not null,
  payload bytea not null,
  headers jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  claimed_until timestamp with time zone,
  published_at timestamp with time zone,
  stream_created_at text collate "C",
  stream_sequence bigint,
  publication bigint,
  constraint outbox_pkey PRIMARY KEY (id)
);

create table parked_messages (
  id uuid not null default new_event_id(),
  consumer text not null,
  subject text not null,
  event_id text,
  headers jsonb not null,
  payload bytea not null,
  error text not null,
  tries integer not null,
  parked_at timestamp with time zone not null default now(),
  replayed_at timestamp with time zone,
  reason text not null default 'failed'::text,
  constraint parked_messages_consumer_event_id_key UNIQUE (consumer, event_id),
  constraint parked_messages_pkey PRIMARY KEY (id),
  constraint parked_messages_reason_check CHECK ((reason = ANY (ARRAY['failed'::text, 'refuted'::text, 'unknown'::text])))
);

create table peer_installations (
  peer text not null,
  installation_id uuid not null,
  accepted_at timestamp with time zone not null default now(),
  constraint peer_installations_pkey PRIMARY KEY (peer)
);

create table permissions (
  name text not null,
  constraint permissions_pkey PRIMARY KEY (name)
);

create table preferences (
  user_id uuid not null,
  selected_organization uuid,
  selected_workspace uuid,
  updated_at timestamp(3) with time zone not null default now(),
  constraint preferences_pkey PRIMARY KEY (user_id),
  constraint preferences_selected_organization_fkey FOREIGN KEY (selected_organization) REFERENCES organizations(id),
  constraint preferences_selected_workspace_fkey FOREIGN KEY (selected_workspace) REFERENCES workspace_references(id),
  constraint preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create unlogged table rate_limit_usage (
  window_start timestamp with time zone not null,
  key text collate "C" not null,
  used integer not null,
  constraint rate_limit_usage_pkey PRIMARY KEY (window_start, key)
);

create unlogged table rate_limits (
  key text collate "C" not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table registrations (
  curriculum_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint registrations_pkey PRIMARY KEY (curriculum_id, user_id),
  constraint registrations_curriculum_id_fkey FOREIGN KEY (curriculum_id) REFERENCES curricula(id),
  constraint registrations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table role_permissions (
  role_name text not null,
  permission_name text not null,
  constraint role_permissions_pkey PRIMARY KEY (role_name, permission_name),
  constraint role_permissions_permission_name_fkey FOREIGN KEY (permission_name) REFERENCES permissions(name),
  constraint role_permissions_role_name_fkey FOREIGN KEY (role_name) REFERENCES roles(name)
);

create table roles (
  name text not null,
  "position" smallint not null,
  constraint roles_position_key UNIQUE ("position"),
  constraint roles_pkey PRIMARY KEY (name)
);

create table schema_migrations (
  source text not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  checksum text,
  constraint schema_migrations_pkey PRIMARY KEY (source, name)
);

create table team_members (
  team_id uuid not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint team_members_pkey PRIMARY KEY (team_id, user_id),
  constraint team_members_team_id_fkey FOREIGN KEY (team_id) REFERENCES teams(id),
  constraint team_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table teams (
  id uuid not null,
  organization_id uuid not null,
  name text not null default ''::text,
  description text not null default ''::text,
  owner uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint teams_pkey PRIMARY KEY (id),
  constraint teams_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint teams_owner_fkey FOREIGN KEY (owner) REFERENCES users(id)
);

create table tokens (
  id uuid not null,
  user_id uuid not null,
  name text not null default ''::text,
  digest bytea not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  revoked_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint tokens_digest_key UNIQUE (digest),
  constraint tokens_pkey PRIMARY KEY (id),
  constraint tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint tokens_digest_check CHECK ((length(digest) = 32))
);

create table users (
  id uuid not null,
  email text not null,
  first_name text not null default ''::text,
  last_name text not null default ''::text,
  avatar_url text not null default ''::text,
  status text not null default 'active'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint users_pkey PRIMARY KEY (id)
);

create table workspace_references (
  id uuid not null,
  organization_id uuid not null,
  deleted_at timestamp(3) with time zone,
  constraint workspace_references_pkey PRIMARY KEY (id)
);

create view list_sizes as\n SELECT ('teams' COLLATE "C") AS list,
    teams.organization_id AS scope,
    count(*) AS count
   FROM teams
  WHERE (teams.deleted_at IS NULL)
  GROUP BY teams.organization_id
UNION ALL
 SELECT 'invitations'::text AS list,
    invitations.organization_id AS scope,
    count(*) AS count
   FROM invitations
  GROUP BY invitations.organization_id
UNION ALL
 SELECT 'curricula'::text AS list,
    curricula.organization_id AS scope,
    count(*) AS count
   FROM curricula
  GROUP BY curricula.organization_id
UNION ALL
 SELECT 'tokens'::text AS list,
    tokens.user_id AS scope,
    count(*) AS count
   FROM tokens
  GROUP BY tokens.user_id
UNION ALL
 SELECT 'members'::text AS list,
    members.organization_id AS scope,
    count(*) AS count
   FROM members
  GROUP BY members.organization_id
UNION ALL
 SELECT 'team_members'::text AS list,
    team_members.team_id AS scope,
    count(*) AS count
   FROM team_members
  GROUP BY team_members.team_id;

CREATE INDEX audit_events_by_created_at ON audit_events USING btree (created_at, id);

CREATE INDEX audit_events_by_organization ON audit_events USING btree (organization_id, created_at, id);

CREATE INDEX audit_events_by_xact ON audit_events USING btree (xact, id) WHERE (xact > '0'::xid8);

CREATE INDEX curricula_by_created_at ON curricula USING btree (organization_id, created_at, id);

CREATE INDEX curricula_by_title ON curricula USING btree (organization_id, title COLLATE "und-x-icu", id);

CREATE INDEX curricula_by_updated_at ON curricula USING btree (organization_id, updated_at, id);

CREATE INDEX curricula_of_all_by_created_at ON curricula USING btree (created_at, id) WHERE (id >= '00000000-0000-0000-0000-000000000000'::uuid);

CREATE INDEX curricula_of_all_by_title ON curricula USING btree (title COLLATE "und-x-icu", id) WHERE (id >= '00000000-0000-0000-0000-000000000000'::uuid);

CREATE INDEX curricula_of_all_by_updated_at ON curricula USING btree (updated_at, id) WHERE (id >= '00000000-0000-0000-0000-000000000000'::uuid);

CREATE INDEX curricula_search ON curricula USING gin (search_keys(organization_id, ((title || '
'::text) || description))) WITH (gin_pending_list_limit='256');

CREATE INDEX idempotent_replies_created_at ON idempotent_replies USING btree (created_at);

CREATE INDEX inbox_received_at ON inbox USING btree (received_at);

CREATE INDEX invitations_by_created_at ON invitations USING btree (organization_id, created_at, id);

CREATE INDEX invitations_by_updated_at ON invitations USING btree (organization_id, updated_at, id);

CREATE INDEX invitations_email ON invitations USING btree (email) WHERE (user_id IS NULL);

CREATE INDEX invitations_invited_by ON invitations USING btree (invited_by);

CREATE INDEX invitations_pending ON invitations USING btree (organization_id, expires_at) WHERE (status = 'pending'::text);

CREATE INDEX invitations_pending_by_expiry ON invitations USING btree (expires_at) WHERE ((status = 'pending'::text) AND (expires_at IS NOT NULL));

CREATE UNIQUE INDEX invitations_pending_email ON invitations USING btree (organization_id, email) WHERE ((status = 'pending'::text) AND (email <> ''::text));

CREATE UNIQUE INDEX invitations_pending_user ON invitations USING btree (organization_id, user_id) WHERE ((status = 'pending'::text) AND (user_id IS NOT NULL));

CREATE INDEX invitations_user_id ON invitations USING btree (user_id);

CREATE INDEX link_copies_by_organization ON link_copies USING btree (organization_id);

CREATE INDEX link_copies_by_use ON link_copies USING btree (used_at);

CREATE INDEX members_by_created_at ON members USING btree (organization_id, created_at, user_id);

CREATE INDEX members_by_updated_at ON members USING btree (organization_id, updated_at, user_id);

CREATE INDEX members_search ON members USING gin (search_keys(organization_id, ((name || '
'::text) || email))) WITH (gin_pending_list_limit='256');

CREATE INDEX members_user_id ON members USING btree (user_id);

CREATE INDEX memberships_role_name ON memberships USING btree (role_name);

CREATE INDEX memberships_user_id ON memberships USING btree (user_id, organization_id);

CREATE INDEX organizations_live_created_at ON organizations USING btree (created_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX organizations_live_updated_at ON organizations USING btree (updated_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX organizations_owner ON organizations USING btree (owner);

CREATE INDEX outbox_published_at ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_published_in ON outbox USING btree (stream_created_at, stream_sequence) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_unpublished ON outbox USING btree (id) WHERE (published_at IS NULL);

CREATE INDEX parked_messages_unknown ON parked_messages USING btree (id) WHERE ((reason = 'unknown'::text) AND (replayed_at IS NULL));

CREATE INDEX preferences_selected_organization ON preferences USING btree (selected_organization);

CREATE INDEX preferences_selected_workspace ON preferences USING btree (selected_workspace);

CREATE INDEX registrations_user_id ON registrations USING btree (user_id);

CREATE INDEX role_permissions_permission_name ON role_permissions USING btree (permission_name);

CREATE INDEX team_members_by_created_at ON team_members USING btree (team_id, created_at, user_id);

CREATE INDEX team_members_user_id ON team_members USING btree (user_id);

CREATE INDEX teams_live_by_created_at ON teams USING btree (organization_id, created_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX teams_live_by_updated_at ON teams USING btree (organization_id, updated_at, id) WHERE (deleted_at IS NULL);

CREATE INDEX teams_of_all_by_created_at ON teams USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX teams_of_all_by_updated_at ON teams USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX teams_organization_id ON teams USING btree (organization_id);

CREATE INDEX teams_owner ON teams USING btree (owner);

CREATE INDEX teams_search ON teams USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX tokens_user_created_at ON tokens USING btree (user_id, created_at, id);

CREATE INDEX tokens_user_updated_at ON tokens USING btree (user_id, updated_at, id);

CREATE UNIQUE INDEX users_live_email ON users USING btree (email_key(email)) WHERE (deleted_at IS NULL);

CREATE INDEX workspace_references_organization_id ON workspace_references USING btree (organization_id);

CREATE TRIGGER curricula_delete_count AFTER DELETE ON curricula REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER curricula_etag BEFORE UPDATE ON curricula FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER curricula_insert_count AFTER INSERT ON curricula REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER invitations_delete_count AFTER DELETE ON invitations REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER invitations_etag BEFORE UPDATE ON invitations FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER invitations_insert_count AFTER INSERT ON invitations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER members_delete_count AFTER DELETE ON members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER members_insert_count AFTER INSERT ON members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_of_organization();

CREATE TRIGGER memberships_delete_member AFTER DELETE ON memberships REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION update_members();

CREATE TRIGGER memberships_insert_member AFTER INSERT ON memberships REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION update_members();

CREATE TRIGGER organizations_etag BEFORE UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER team_members_delete_count AFTER DELETE ON team_members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_team_members();

CREATE TRIGGER team_members_insert_count AFTER INSERT ON team_members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_team_members();

CREATE TRIGGER teams_copied_links AFTER UPDATE ON teams REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_copied_links();

CREATE TRIGGER teams_delete_count AFTER DELETE ON teams REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER teams_etag BEFORE UPDATE ON teams FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER teams_insert_count AFTER INSERT ON teams REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER teams_update_count AFTER UPDATE ON teams REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER tokens_delete_count AFTER DELETE ON tokens REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tokens();

CREATE TRIGGER tokens_etag BEFORE UPDATE ON tokens FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER tokens_insert_count AFTER INSERT ON tokens REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tokens();

CREATE TRIGGER users_etag BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER users_update_member AFTER UPDATE ON users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION update_members_of_users();
