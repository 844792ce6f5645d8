-- Identifies this database to the services that refer to its records. Created once, with the schema. A restore
-- preserves it; an empty database in its place has a different one.
create table installation (
  id uuid primary key default gen_random_uuid(),
  only_row boolean not null default true unique check (only_row)
);
insert into installation default values;

-- The databases of the peers, as first seen or as accepted by an operator. Replies from any other database are
-- ignored, since that database may be empty.
create table peer_installations (
  peer text primary key,
  installation_id uuid not null,
  accepted_at timestamptz not null default now()
);
