-- Who there is, what they belong to, and what they may do. Ids are UUIDv7, made by the program.
-- Lists order by a date and then by id, so each list has an index of that shape for both dates.

create table users (
  id uuid primary key,
  email text not null,
  first_name text not null default '',
  last_name text not null default '',
  avatar_url text not null default '',
  status text not null default 'active',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);
create unique index users_live_email on users (lower(email)) where deleted_at is null;

create table organizations (
  id uuid primary key,
  name text not null default '',
  description text not null default '',
  owner uuid references users (id),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);
create index organizations_live_created_at on organizations (created_at, id) where deleted_at is null;
create index organizations_live_updated_at on organizations (updated_at, id) where deleted_at is null;
create index organizations_owner on organizations (owner);

create table roles (
  name text primary key,
  -- Role names are always told in this order.
  position smallint not null unique
);

create table permissions (
  name text primary key
);

create table role_permissions (
  role_name text not null references roles (name),
  permission_name text not null references permissions (name),
  primary key (role_name, permission_name)
);
create index role_permissions_permission_name on role_permissions (permission_name);

-- One row per role of a user in an organization; a member has at least one.
create table memberships (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  role_name text not null references roles (name),
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, user_id, role_name)
);
create index memberships_user_id on memberships (user_id, organization_id);
create index memberships_role_name on memberships (role_name);

create table teams (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  name text not null default '',
  description text not null default '',
  owner uuid references users (id),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);
create index teams_organization_id on teams (organization_id);
create index teams_live_by_created_at on teams (organization_id, created_at, id) where deleted_at is null;
create index teams_live_by_updated_at on teams (organization_id, updated_at, id) where deleted_at is null;
create index teams_live_created_at on teams (created_at, id) where deleted_at is null;
create index teams_live_updated_at on teams (updated_at, id) where deleted_at is null;
create index teams_owner on teams (owner);

create table team_members (
  team_id uuid not null references teams (id),
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  primary key (team_id, user_id)
);
create index team_members_user_id on team_members (user_id);

-- The secret itself is never stored: 256 random bits need no salt, so a SHA-256 digest finds the row at once.
create table tokens (
  id uuid primary key,
  user_id uuid not null references users (id),
  name text not null default '',
  digest bytea not null unique check (length(digest) = 32),
  hint text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3)
);
create index tokens_user_created_at on tokens (user_id, created_at, id);
create index tokens_user_updated_at on tokens (user_id, updated_at, id);

-- What this service knows of the workspace service's records: a tombstone that selecting and deletion both lock.
-- The organization is what the workspace service says, which may tell of a workspace before anyone asks here.
create table workspace_references (
  id uuid primary key,
  organization_id uuid not null,
  deleted_at timestamptz(3)
);
create index workspace_references_organization_id on workspace_references (organization_id);

-- A row is made with its user, so that there is always one to lock.
create table preferences (
  user_id uuid primary key references users (id),
  selected_organization uuid references organizations (id),
  selected_workspace uuid references workspace_references (id),
  updated_at timestamptz(3) not null default now()
);
create index preferences_selected_organization on preferences (selected_organization);
create index preferences_selected_workspace on preferences (selected_workspace);

create table curricula (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  title text not null default '',
  description text not null default '',
  type text not null default '',
  level text not null default '',
  visibility text not null check (visibility in ('private', 'public', 'published')),
  status text not null default '',
  slug text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint curricula_slug unique (organization_id, slug)
);
create index curricula_by_created_at on curricula (organization_id, created_at, id);
create index curricula_by_updated_at on curricula (organization_id, updated_at, id);

create table registrations (
  curriculum_id uuid not null references curricula (id),
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  primary key (curriculum_id, user_id)
);
create index registrations_user_id on registrations (user_id);

insert into roles (name, position) values
  ('User', 1), ('Team Admin', 2), ('Workspace Admin', 3), ('Org Admin', 4), ('Provider Admin', 5);

-- The names are those of proto/cloud/api/v1/permission.proto; a test compares them.
insert into permissions (name) values
  ('View All Organizations'),
  ('View Workspace'), ('Create Workspace'), ('Edit Workspace'), ('Delete Workspace'),
  ('Assign team to workspace'), ('Remove team from workspace'),
  ('Assign environment to workspace'), ('Remove environment from workspace'),
  ('Assign Designs to Workspaces'), ('Remove Designs from Workspaces'),
  ('Assign Views to Workspace'), ('Unassign Views from Workspace'),
  ('View Environment'), ('Create Environment'), ('Edit Environment'), ('Delete Environment'),
  ('Assign connections to environment'), ('Remove connections from environment'), ('View Connections'),
  ('Manage Organization'), ('Manage Teams'), ('Manage Users'), ('Manage Connections'),
  ('Manage Designs'), ('Manage Views'), ('Manage Curricula');

insert into role_permissions (role_name, permission_name)
select role_name, permission_name
from (values
  (array['User', 'Team Admin', 'Workspace Admin', 'Org Admin', 'Provider Admin'],
   array['View Workspace', 'View Environment', 'View Connections']),
  (array['Workspace Admin', 'Org Admin', 'Provider Admin'],
   array['Create Workspace', 'Edit Workspace', 'Delete Workspace',
         'Assign team to workspace', 'Remove team from workspace',
         'Assign environment to workspace', 'Remove environment from workspace',
         'Assign Designs to Workspaces', 'Remove Designs from Workspaces',
         'Assign Views to Workspace', 'Unassign Views from Workspace',
         'Create Environment', 'Edit Environment', 'Delete Environment',
         'Assign connections to environment', 'Remove connections from environment',
         'Manage Connections']),
  (array['Team Admin', 'Org Admin', 'Provider Admin'],
   array['Manage Teams']),
  (array['Org Admin', 'Provider Admin'],
   array['Manage Organization', 'Manage Designs', 'Manage Views', 'Manage Curricula']),
  (array['Provider Admin'],
   array['View All Organizations', 'Manage Users'])
) as grants (holders, keys), unnest(holders) as role_name, unnest(keys) as permission_name;
