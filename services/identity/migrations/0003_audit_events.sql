-- The audit log. Rows are only ever inserted and read. No foreign keys: an entry outlives what it is about.
create table audit_events (
  id uuid primary key,
  -- A user id, or service:<name>; empty for refused callers.
  actor text not null check (length(actor) <= 64),
  action text not null check (length(action) <= 64),
  target text not null check (length(target) <= 128),
  organization_id uuid,
  metadata jsonb not null check (octet_length(metadata::text) <= 4096),
  request_id text not null check (length(request_id) <= 128),
  created_at timestamptz(3) not null default now()
);
create index audit_events_by_created_at on audit_events (created_at, id);
create index audit_events_by_organization on audit_events (organization_id, created_at, id);

insert into permissions (name) values ('View Audit Log');
insert into role_permissions (role_name, permission_name) values
  ('Org Admin', 'View Audit Log'), ('Provider Admin', 'View Audit Log');
