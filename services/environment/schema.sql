-- The schema after all migrations, rendered from the catalog. After a new migration:
-- UPDATE_DOCS=1 npm test -- test/schemas

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

create table credentials (
  id uuid not null,
  organization_id uuid not null,
  owner text not null default ''::text,
  name text not null,
  type text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
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
  constraint environments_pkey PRIMARY KEY (id),
  constraint environments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  constraint environments_description_check CHECK ((char_length(description) <= 255)),
  constraint environments_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint environments_name_check CHECK ((char_length(name) <= 255))
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

create table schema_migrations (
  source text not null,
  name text not null,
  applied_at timestamp with time zone not null default now(),
  checksum text,
  constraint schema_migrations_pkey PRIMARY KEY (source, name)
);

CREATE INDEX connections_by_created_at ON connections USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX connections_by_credential ON connections USING btree (credential_id) WHERE (credential_id IS NOT NULL);

CREATE INDEX connections_by_name ON connections USING btree (organization_id, name, id) WHERE (deleted_at IS NULL);

CREATE INDEX connections_by_updated_at ON connections USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX credentials_by_created_at ON credentials USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX credentials_by_updated_at ON credentials USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX environment_connections_by_connection ON environment_connections USING btree (connection_id);

CREATE INDEX environments_by_created_at ON environments USING btree (organization_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX environments_by_updated_at ON environments USING btree (organization_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE INDEX inbox_received_at ON inbox USING btree (received_at);

CREATE INDEX outbox_published_at ON outbox USING btree (published_at) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_published_in ON outbox USING btree (stream_created_at, stream_sequence) WHERE (published_at IS NOT NULL);

CREATE INDEX outbox_unpublished ON outbox USING btree (id) WHERE (published_at IS NULL);

CREATE INDEX parked_messages_unknown ON parked_messages USING btree (id) WHERE ((reason = 'unknown'::text) AND (replayed_at IS NULL));
