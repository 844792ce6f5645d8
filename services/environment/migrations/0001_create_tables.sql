-- The local references to organizations, which identity owns. A row is inserted with the first record created in the
-- organization or when its deletion is received, whichever comes first. deleted_at is the tombstone; only the
-- reconciler clears it.
create table organizations (
  id uuid primary key,
  deleted_at timestamptz(3)
);

create table credentials (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  owner text not null default '',
  name text not null check (char_length(name) <= 255),
  type text not null check (char_length(type) <= 255),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

create table environments (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  name text not null check (char_length(name) <= 255),
  description text not null check (char_length(description) <= 255),
  platform_provisioned boolean not null default false,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

create table connections (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  owner text not null default '',
  name text not null check (char_length(name) <= 255),
  description text not null check (char_length(description) <= 255),
  kind text not null check (char_length(kind) <= 255),
  type text not null check (char_length(type) <= 255),
  status text not null check (char_length(status) <= 255),
  credential_id uuid references credentials (id),
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

-- Links are deleted, never marked as deleted.
create table environment_connections (
  id uuid primary key,
  environment_id uuid not null references environments (id),
  connection_id uuid not null references connections (id),
  created_at timestamptz(3) not null default now(),
  constraint environment_connections_pair unique (environment_id, connection_id)
);

create index environment_connections_by_connection on environment_connections (connection_id);

-- One index per list and column. Lists order by the column and then by id, in the same direction, so that a forward or
-- backward scan of one index serves both `asc` and `desc`.
create index credentials_by_created_at on credentials (organization_id, created_at desc, id desc) where deleted_at is null;
create index credentials_by_updated_at on credentials (organization_id, updated_at desc, id desc) where deleted_at is null;
create index environments_by_created_at on environments (organization_id, created_at desc, id desc) where deleted_at is null;
create index environments_by_updated_at on environments (organization_id, updated_at desc, id desc) where deleted_at is null;
create index connections_by_created_at on connections (organization_id, created_at desc, id desc) where deleted_at is null;
create index connections_by_updated_at on connections (organization_id, updated_at desc, id desc) where deleted_at is null;
create index connections_by_name on connections (organization_id, name, id) where deleted_at is null;
create index connections_by_credential on connections (credential_id) where credential_id is not null;
