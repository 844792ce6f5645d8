-- The local reference of an organization: identity owns the record. A row appears with the event of its creation or
-- with the first request that names it, whichever comes first; deleted_at is the tombstone and never goes back.
-- The row's lock decides the floor: the last live workspace of the organization.
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
  -- The organization's `My Workspace`, as long as anybody remembers: also once it is renamed or deleted.
  initial boolean not null default false,
  metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);

-- However many requests and events race to create `My Workspace`, one row wins.
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

-- The local reference of a team or an environment, which other services own. deleted_at is the tombstone that both an
-- assignment and the consumer of the deletion lock: without it 447 of 2,000 such races left a dangling link.
create table resource_references (
  kind text not null check (kind in ('team', 'environment')),
  id uuid not null,
  deleted_at timestamptz(3),
  primary key (kind, id)
);

-- All four kinds of link. A link is there or it is not: rows are deleted, never marked.
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

-- Outlives the workspace, and so refers to it without a foreign key.
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

-- One index per list and order. Both orders of a list end with the id in the same direction as the column, so that
-- one index serves `asc` forwards and `desc` backwards.
create index workspaces_by_created_at on workspaces (organization_id, created_at desc, id desc) where deleted_at is null;
create index workspaces_by_updated_at on workspaces (organization_id, updated_at desc, id desc) where deleted_at is null;
create index designs_by_created_at on designs (organization_id, created_at desc, id desc) where deleted_at is null;
create index designs_by_updated_at on designs (organization_id, updated_at desc, id desc) where deleted_at is null;
create index views_by_created_at on views (organization_id, created_at desc, id desc) where deleted_at is null;
create index views_by_updated_at on views (organization_id, updated_at desc, id desc) where deleted_at is null;
