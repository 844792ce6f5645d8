-- The local references to organizations, which identity owns. A row is inserted when the organization's creation is
-- received or by the first request that names it, whichever comes first. deleted_at is the tombstone; only the
-- reconciler clears it. Deletions of workspaces lock the row, which keeps the minimum of one workspace.
create table organizations (
  id uuid primary key,
  deleted_at timestamptz(3)
);

create table workspaces (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  name text not null check (char_length(name) <= 255),
  description text not null check (char_length(description) <= 255),
  owner text not null,
  -- True for the organization's `My Workspace`, and stays true after it is renamed or deleted.
  initial boolean not null default false,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

-- Of concurrent requests and events that create `My Workspace`, exactly one succeeds.
create unique index workspaces_initial on workspaces (organization_id) where initial;

create table designs (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  name text not null check (char_length(name) <= 255),
  description text not null check (char_length(description) <= 255),
  owner text not null,
  visibility text not null check (visibility in ('private', 'public', 'published')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

create table views (like designs including all, foreign key (organization_id) references organizations (id));

-- The local references to teams and environments, which other services own. deleted_at is the tombstone. An assignment
-- and the consumer of the deletion both lock the row: without it, 447 of 2,000 such races left a dangling link.
create table resource_references (
  kind text not null check (kind in ('team', 'environment')),
  id uuid not null,
  deleted_at timestamptz(3),
  primary key (kind, id)
);

-- Links of all four kinds. They are deleted, never marked as deleted.
create table assignments (
  id uuid primary key,
  workspace_id uuid not null references workspaces (id),
  kind text not null check (kind in ('team', 'environment', 'design', 'view')),
  resource_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint assignments_pair unique (workspace_id, kind, resource_id)
);

create index assignments_by_resource on assignments (kind, resource_id);

-- The log is kept when the workspace is deleted; therefore workspace_id has no foreign key.
create table activity_events (
  id uuid primary key,
  workspace_id uuid not null,
  organization_id uuid not null,
  owner text not null,
  action text not null check (action in ('create', 'update', 'delete', 'assign', 'unassign')),
  severity text not null check (severity in ('success', 'error')),
  description text not null,
  acted_upon text not null,
  acted_upon_kind text not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null default now()
);

create index activity_events_by_workspace on activity_events (workspace_id, created_at desc, id desc);

-- One index per list and column. Lists order by the column and then by id, in the same direction, so that a forward or
-- backward scan of one index serves both `asc` and `desc`.
create index workspaces_by_created_at on workspaces (organization_id, created_at desc, id desc) where deleted_at is null;
create index workspaces_by_updated_at on workspaces (organization_id, updated_at desc, id desc) where deleted_at is null;
create index designs_by_created_at on designs (organization_id, created_at desc, id desc) where deleted_at is null;
create index designs_by_updated_at on designs (organization_id, updated_at desc, id desc) where deleted_at is null;
create index views_by_created_at on views (organization_id, created_at desc, id desc) where deleted_at is null;
create index views_by_updated_at on views (organization_id, updated_at desc, id desc) where deleted_at is null;
