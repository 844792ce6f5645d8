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
 SET search_path TO 'environment'
AS $function$
begin
  new.etag := new_etag();
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION count_copied_links()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'environment'
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

CREATE OR REPLACE FUNCTION count_records()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'environment'
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
 SET search_path TO 'environment'
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
 SET search_path TO 'environment'
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
 SET search_path TO 'environment'
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

create table begun_tries (
  consumer text not null,
  event_id text not null,
  tries integer not null,
  waits boolean not null default false,
  constraint begun_tries_pkey PRIMARY KEY (consumer, event_id)
);

create table connections (
  id uuid not null,
  organization_id uuid not null,
  owner text not null default ''::text,
  name text not null,
  description text not null,
  kind text not null,
  type text not null,
  status text not null,
  credential_id uuid,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint connections_pkey PRIMARY KEY (id),
  constraint connections_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(id),
  constraint connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint connections_description_check CHECK ((char_length(description) <= 255)),
  constraint connections_kind_check CHECK ((char_length(kind) <= 255)),
  constraint connections_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint connections_name_check CHECK ((char_length(name) <= 255)),
  constraint connections_status_check CHECK ((char_length(status) <= 255)),
  constraint connections_type_check CHECK ((char_length(type) <= 255))
);

create table copied_links (
  workspace_id uuid not null,
  record_id uuid not null,
  constraint copied_links_pkey PRIMARY KEY (workspace_id, record_id)
);

create table credentials (
  id uuid not null,
  organization_id uuid not null,
  owner text not null default ''::text,
  name text not null,
  type text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint credentials_pkey PRIMARY KEY (id),
  constraint credentials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint credentials_name_check CHECK ((char_length(name) <= 255)),
  constraint credentials_type_check CHECK ((char_length(type) <= 255))
);

create table environment_connections (
  id uuid not null,
  environment_id uuid not null,
  connection_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint environment_connections_pair UNIQUE (environment_id, connection_id),
  constraint environment_connections_pkey PRIMARY KEY (id),
  constraint environment_connections_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connections(id),
  constraint environment_connections_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id)
);

create table environments (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  description text not null,
  platform_provisioned boolean not null default false,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  etag text not null default new_etag(),
  constraint environments_pkey PRIMARY KEY (id),
  constraint environments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint environments_description_check CHECK ((char_length(description) <= 255)),
  constraint environments_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint environments_name_check CHECK ((char_length(name) <= 255))
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

create table schema_migrations (
  source text not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  checksum text,
  constraint schema_migrations_pkey PRIMARY KEY (source, name)
);

create view list_sizes as\n SELECT ('credentials' COLLATE "C") AS list,
    credentials.organization_id AS scope,
    count(*) AS count
   FROM credentials
  WHERE (credentials.deleted_at IS NULL)
  GROUP BY credentials.organization_id
UNION ALL
 SELECT 'environments'::text AS list,
    environments.organization_id AS scope,
    count(*) AS count
   FROM environments
  WHERE (environments.deleted_at IS NULL)
  GROUP BY environments.organization_id
UNION ALL
 SELECT 'connections'::text AS list,
    connections.organization_id AS scope,
    count(*) AS count
   FROM connections
  WHERE (connections.deleted_at IS NULL)
  GROUP BY connections.organization_id;

CREATE INDEX connections_by_created_at ON connections USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX connections_by_credential ON connections USING btree (credential_id) WHERE (credential_id IS NOT NULL);

CREATE INDEX connections_by_deleted_at ON connections USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX connections_by_name ON connections USING btree (organization_id, name COLLATE "und-x-icu", id) WHERE (deleted_at IS NULL);

CREATE INDEX connections_by_updated_at ON connections USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX connections_of_all_by_created_at ON connections USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX connections_of_all_by_name ON connections USING btree (name COLLATE "und-x-icu", id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX connections_of_all_by_updated_at ON connections USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX connections_search ON connections USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX credentials_by_created_at ON credentials USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX credentials_by_deleted_at ON credentials USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX credentials_by_updated_at ON credentials USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX credentials_of_all_by_created_at ON credentials USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX credentials_of_all_by_updated_at ON credentials USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX credentials_search ON credentials USING gin (search_keys(organization_id, name)) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX environment_connections_by_connection ON environment_connections USING btree (connection_id);

CREATE INDEX environments_by_created_at ON environments USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX environments_by_deleted_at ON environments USING btree (organization_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);

CREATE INDEX environments_by_updated_at ON environments USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX environments_of_all_by_created_at ON environments USING btree (created_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX environments_of_all_by_updated_at ON environments USING btree (updated_at, id) WHERE ((deleted_at IS NULL) AND (id >= '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX environments_search ON environments USING gin (search_keys(organization_id, ((name || '
'::text) || description))) WITH (gin_pending_list_limit='256') WHERE (deleted_at IS NULL);

CREATE INDEX idempotent_replies_created_at ON idempotent_replies USING btree (created_at);

CREATE INDEX inbox_received_at ON inbox USING btree (received_at);

CREATE INDEX link_copies_by_organization ON link_copies USING btree (organization_id);

CREATE INDEX link_copies_by_use ON link_copies USING btree (used_at);

CREATE INDEX outbox_published_at ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_published_in ON outbox USING btree (stream_created_at, stream_sequence) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_unpublished ON outbox USING btree (id) WHERE (published_at IS NULL);

CREATE INDEX parked_messages_unknown ON parked_messages USING btree (id) WHERE ((reason = 'unknown'::text) AND (replayed_at IS NULL));

CREATE TRIGGER connections_delete_count AFTER DELETE ON connections REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER connections_etag BEFORE UPDATE ON connections FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER connections_insert_count AFTER INSERT ON connections REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER connections_update_count AFTER UPDATE ON connections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER credentials_delete_count AFTER DELETE ON credentials REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER credentials_etag BEFORE UPDATE ON credentials FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER credentials_insert_count AFTER INSERT ON credentials REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER credentials_update_count AFTER UPDATE ON credentials REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER environments_copied_links AFTER UPDATE ON environments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_copied_links();

CREATE TRIGGER environments_delete_count AFTER DELETE ON environments REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER environments_etag BEFORE UPDATE ON environments FOR EACH ROW EXECUTE FUNCTION change_etag();

CREATE TRIGGER environments_insert_count AFTER INSERT ON environments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE TRIGGER environments_update_count AFTER UPDATE ON environments REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_records();
