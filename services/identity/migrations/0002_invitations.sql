-- Invitations to become a member of an organization. A pending one that is past expires_at counts as expired; its row is
-- updated when the organization invites next.
create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  -- Who is invited: a user, or an address in lower case that may belong to no user yet.
  user_id uuid references users (id),
  email text not null default '',
  role_names text[] not null check (cardinality(role_names) > 0),
  -- Null for a service.
  invited_by uuid references users (id),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked', 'expired')),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint invitations_invitee check (user_id is not null or email <> '')
);
create unique index invitations_pending_user on invitations (organization_id, user_id)
  where status = 'pending' and user_id is not null;
create unique index invitations_pending_email on invitations (organization_id, email)
  where status = 'pending' and email <> '';
create index invitations_pending on invitations (organization_id, expires_at) where status = 'pending';
create index invitations_by_created_at on invitations (organization_id, created_at, id);
create index invitations_by_updated_at on invitations (organization_id, updated_at, id);
create index invitations_user_id on invitations (user_id);
create index invitations_email on invitations (email) where user_id is null;
create index invitations_invited_by on invitations (invited_by);
