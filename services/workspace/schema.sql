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
 SET search_path TO 'workspace'
AS $function$
begin
  new.etag := new_etag();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION count_activity_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, workspace_id, own_slot, count(*)
      from new_rows
      group by workspace_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, workspace_id, own_slot, -count(*)
      from old_rows
      group by workspace_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_copied_links()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'workspace'
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

CREATE OR REPLACE FUNCTION count_items()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
AS $function$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, count(*)
      from new_rows
      where deleted_at is null
      group by organization_id, visibility
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'UPDATE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, sum(change)
      from (
        select organization_id, visibility, 1 as change from new_rows where deleted_at is null
        union all
        select organization_id, visibility, -1 from old_rows where deleted_at is null
      ) changes
      group by organization_id, visibility
      having sum(change) <> 0
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, -count(*)
      from old_rows
      where deleted_at is null
      group by organization_id, visibility
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_link_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
 SET enable_seqscan TO 'off'
AS $function$
declare
  sign constant integer := case tg_op when 'INSERT' then 1 else -1 end;
  own_slot integer;
  changed record;
  last_change bigint;
  all_links bigint;
begin
  -- One workspace after another: a statement that joined them took 20 s for a team of 10,000 workspaces.
  for changed in
    select workspace_id, kind, count(*) as links, sum(link_hash(resource_id)) as hash,
      case when count(*) <= 1000 then array_agg(resource_id) end as ids
    from changed_rows
    where kind in ('team', 'environment')
    group by workspace_id, kind
  loop
    own_slot := coalesce(own_slot, reserve_count_slot(tg_relid));
    insert into link_states as kept (workspace_id, kind, slot, changes, links, hash)
    values (changed.workspace_id, changed.kind, own_slot, changed.links, sign * changed.links, sign * changed.hash)
    on conflict (workspace_id, kind, slot) do update
    set changes = kept.changes + excluded.changes, links = kept.links + excluded.links, hash = kept.hash + excluded.hash
    returning changes into last_change;

    select sum(links) into all_links
    from link_states
    where workspace_id = changed.workspace_id and kind = changed.kind;
    if all_links < 500 then
      -- Below it for the first time, or the deletion of the workspace: its changes are no longer needed.
      if all_links + changed.links >= 500 then
        delete from link_changes
        where workspace_id = changed.workspace_id and kind = changed.kind and slot = own_slot;
      end if;
      continue;
    end if;
    insert into link_changes (workspace_id, kind, slot, number, resource_id)
    select changed.workspace_id, changed.kind, own_slot, last_change + 1 - n, id
    from unnest(changed.ids) with ordinality as ids (id, n);
    -- Each hundredth time, which costs the others nothing.
    if last_change % 100 < changed.links then
      delete from link_changes
      where workspace_id = changed.workspace_id and kind = changed.kind and slot = own_slot
        and number <= last_change - 10000;
    end if;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION count_records()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
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

CREATE OR REPLACE FUNCTION purge_activity_events(after text, age integer, most integer)
 RETURNS TABLE(deleted integer, last text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
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
      from activity_events log
      where log.id > coalesce(nullif(after, ''), '00000000-0000-0000-0000-000000000000')::uuid
        and log.id < newest_id
        and log.created_at < oldest_kept
      order by log.id
      limit most
      for update skip locked
    ),
    gone as (
      delete from activity_events
      where ctid = any(array(select place from expired))
    )
    select count(*)::integer, max(expired.id::text collate "C")
    from expired;
end
$function$;

CREATE OR REPLACE FUNCTION recount_links(workspace uuid, linked_kind text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
AS $function$
begin
  -- Two of them would correct the same difference twice.
  perform pg_advisory_xact_lock('link_states'::regclass::oid::integer, hashtext(workspace || linked_kind));
  insert into link_states as kept (workspace_id, kind, slot, changes, links, hash)
  select workspace, linked_kind, -1, 1, counted.links - states.links, counted.hash - states.hash
  from (
    select count(*) as links, coalesce(sum(link_hash(resource_id)), 0) as hash
    from assignments
    where workspace_id = workspace and kind = linked_kind
  ) counted, (
    select coalesce(sum(links), 0) as links, coalesce(sum(hash), 0) as hash
    from link_states
    where workspace_id = workspace and kind = linked_kind
  ) states
  where (counted.links, counted.hash) <> (states.links, states.hash)
  on conflict (workspace_id, kind, slot) do update
  set changes = kept.changes + 1, links = kept.links + excluded.links, hash = kept.hash + excluded.hash;
  return found;
end
$function$;

CREATE OR REPLACE FUNCTION refuse_moved_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a link cannot be changed into another one: its changes are counted';
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
 SET search_path TO 'workspace'
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
 SET search_path TO 'workspace'
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

CREATE OR REPLACE FUNCTION wrong_counts(repair boolean)
 RETURNS TABLE(list text, scope uuid, counted bigint, rows bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'workspace'
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

create table activity_events (
  id uuid not null,
  workspace_id uuid not null,
  organization_id uuid not null,
  owner text not null,
  action text not null,
  severity text not null,
  description text not null,
  acted_upon text not null,
  acted_upon_kind text not null,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  xact xid8 not null default pg_current_xact_id(),
  constraint activity_events_pkey PRIMARY KEY (id),
  constraint activity_events_acted_upon_length CHECK ((char_length(acted_upon) <= 64)) NOT VALID,
  constraint activity_events_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text, 'delete'::text, 'assign'::text, 'unassign'::text]))),
  constraint activity_events_line_size CHECK ((((((octet_length(owner) + octet_length(description)) + octet_length(acted_upon)) + octet_length(acted_upon_kind)) + octet_length((metadata)::text)) <= 960)) NOT VALID,
  constraint activity_events_severity_check CHECK ((severity = ANY (ARRAY['success'::text, 'error'::text])))
);

create table assignments (
  id uuid not null,
  workspace_id uuid not null,
  kind text not null,
  resource_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint assignments_pair UNIQUE (workspace_id, kind, resource_id),
  constraint assignments_pkey PRIMARY KEY (id),
  constraint assignments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint assignments_kind_check CHECK ((kind = ANY (ARRAY['team'::text, 'environment'::text, 'design'::text, 'view'::text])))
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

create table designs (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text not null,
  owner text not null,
  visibility text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint designs_pkey PRIMARY KEY (id),
  constraint designs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint designs_description_check CHECK ((char_length(description) <= 255)),
  constraint designs_name_check CHECK ((char_length(name) <= 255)),
  constraint designs_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'public'::text, 'published'::text])))
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

create table link_changes (
  workspace_id uuid not null,
  kind text not null,
  slot integer not null,
  number bigint not null,
  resource_id uuid not null,
  constraint link_changes_pkey PRIMARY KEY (workspace_id, kind, slot, number)
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

create table link_states (
  workspace_id uuid not null,
  kind text not null,
  slot integer not null,
  changes bigint not null,
  links bigint not null,
  hash numeric not null,
  constraint link_states_pkey PRIMARY KEY (workspace_id, kind, slot)
);

create table live_counts (
  list text collate "C" not null,
  scope uuid not null,
  slot integer not null,
  count bigint not null,
  constraint live_counts_pkey PRIMARY KEY (list, scope, slot)
);

create table organizations (
  id uuid not null,
  deleted_at timestamp(3) with time zone,
  constraint organizations_pkey PRIMARY KEY (id)
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

create table resource_references (
  kind text not null,
  id uuid not null,
  deleted_at timestamp(3) with time zone,
  constraint resource_references_pkey PRIMARY KEY (kind, id),
  constraint resource_references_kind_check CHECK ((kind = ANY (ARRAY['team'::text, 'environment'::text])))
);

create table schema_migrations (
  source text not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  checksum text,
  constraint schema_migrations_pkey PRIMARY KEY (source, name)
);

create table views (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text not null,
  owner text not null,
  visibility text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint views_pkey PRIMARY KEY (id),
  constraint views_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint designs_description_check CHECK ((char_length(description) <= 255)),
  constraint designs_name_check CHECK ((char_length(name) <= 255)),
  constraint designs_visibility_check CHECK ((visibility = ANY (ARRAY['private'::text, 'public'::text, 'published'::text])))
);

create table workspaces (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text not null,
  owner text not null,
  initial boolean not null default false,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint workspaces_description_check CHECK ((char_length(description) <= 255)),
  constraint workspaces_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint workspaces_name_check CHECK ((char_length(name) <= 255))
);

create view list_sizes as\n SELECT ('workspaces' COLLATE "C") AS list,
    workspaces.organization_id AS scope,
    count(*) AS count
   FROM workspaces
  WHERE (workspaces.deleted_at IS NULL)
  GROUP BY workspaces.organization_id
UNION ALL
 SELECT ('designs:'::text || designs.visibility) AS list,
    designs.organization_id AS scope,
    count(*) AS count
   FROM designs
  WHERE (designs.deleted_at IS NULL)
  GROUP BY designs.organization_id, designs.visibility
UNION ALL
 SELECT ('views:'::text || views.visibility) AS list,
    views.organization_id AS scope,
    count(*) AS count
   FROM views
  WHERE (views.deleted_at IS NULL)
  GROUP BY views.organization_id, views.visibility
UNION ALL
 SELECT 'activity_events'::text AS list,
    activity_events.workspace_id AS scope,
    count(*) AS count
   FROM activity_events
  GROUP BY activity_events.workspace_id;

CREATE INDEX activity_events_by_deleted_resource ON activity_events USING btree (acted_upon, created_at) WHERE ((metadata ->> 'reason'::text) = 'deleted'::text);

CREATE INDEX activity_events_by_description ON activity_events USING btree (workspace_id, description, created_at, id);

CREATE INDEX activity_events_by_organization ON activity_events USING btree (organization_id, created_at DESC, id DESC);

CREATE INDEX activity_events_by_position ON activity_events USING btree (workspace_id, xact, id);

CREATE INDEX activity_events_by_workspace ON activity_events USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX activity_events_by_xact ON activity_events USING btree (xact, id) WHERE (xact > '0'::xid8);

CREATE INDEX assignments_by_resource ON assignments USING btree (kind, resource_id);

CREATE INDEX designs_by_created_at ON designs USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX designs_by_deleted_at ON designs USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX designs_by_owner ON designs USING btree (organization_id, owner, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX designs_by_updated_at ON designs USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX designs_by_visibility ON designs USING btree (organization_id, visibility, id) WHERE (deleted_at IS NULL);

CREATE INDEX designs_of_all_by_created_at ON designs USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX designs_of_all_by_updated_at ON designs USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX designs_search ON designs USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX idempotent_replies_created_at ON idempotent_replies USING btree (created_at);

CREATE INDEX inbox_received_at ON inbox USING btree (received_at);

CREATE INDEX link_copies_by_organization ON link_copies USING btree (organization_id);

CREATE INDEX link_copies_by_use ON link_copies USING btree (used_at);

CREATE INDEX outbox_published_at ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_published_in ON outbox USING btree (stream_created_at, stream_sequence) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_unpublished ON outbox USING btree (id) WHERE (published_at IS NULL);

CREATE INDEX parked_messages_unknown ON parked_messages USING btree (id) WHERE ((reason = 'unknown'::text) AND (replayed_at IS NULL));

CREATE INDEX views_by_created_at ON views USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX views_by_deleted_at ON views USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX views_by_updated_at ON views USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX views_by_visibility ON views USING btree (organization_id, visibility, id) WHERE (deleted_at IS NULL);

CREATE INDEX views_of_all_by_created_at ON views USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX views_of_all_by_updated_at ON views USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX views_search ON views USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX workspaces_by_created_at ON workspaces USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX workspaces_by_deleted_at ON workspaces USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX workspaces_by_updated_at ON workspaces USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX workspaces_initial ON workspaces USING btree (organization_id) WHERE initial;

CREATE INDEX workspaces_of_all_by_created_at ON workspaces USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX workspaces_of_all_by_updated_at ON workspaces USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX workspaces_search ON workspaces USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE TRIGGER activity_events_delete_count AFTER DELETE ON activity_events REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_activity_events();

CREATE TRIGGER activity_events_insert_count AFTER INSERT ON activity_events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_activity_events();

CREATE TRIGGER assignments_delete_count AFTER DELETE ON assignments REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_link_changes();

CREATE TRIGGER assignments_insert_count AFTER INSERT ON assignments REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION count_link_changes();

CREATE TRIGGER assignments_never_move BEFORE UPDATE ON assignments FOR EACH ROW WHEN ((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.resource_id IS DISTINCT FROM new.resource_id))) EXECUTE FUNCTION refuse_moved_link();

CREATE TRIGGER designs_delete_count AFTER DELETE ON designs REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER designs_etag BEFORE UPDATE ON designs FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER designs_insert_count AFTER INSERT ON designs REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER designs_update_count AFTER UPDATE ON designs REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER views_delete_count AFTER DELETE ON views REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER views_etag BEFORE UPDATE ON views FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER views_insert_count AFTER INSERT ON views REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER views_update_count AFTER UPDATE ON views REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER workspaces_delete_count AFTER DELETE ON workspaces REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER workspaces_etag BEFORE UPDATE ON workspaces FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER workspaces_insert_count AFTER INSERT ON workspaces REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER workspaces_update_count AFTER UPDATE ON workspaces REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();
