-- concurrently: large tables are written meanwhile
-- Searches find records by their keys (service/0004_search_keys.sql). New entries wait in a list, so that writers do not
-- contend for the pages of common keys; it is short, because every search reads it and one writer in 170 empties it.
create index concurrently if not exists teams_search on teams
  using gin (search_keys(organization_id, name || e'\n' || description))
  with (gin_pending_list_limit = 256)
  where deleted_at is null;
create index concurrently if not exists curricula_search on curricula
  using gin (search_keys(organization_id, title || e'\n' || description))
  with (gin_pending_list_limit = 256);

create index concurrently if not exists curricula_by_title on curricula (organization_id, title, id);

-- Lists of all organizations, in each order. The condition on id is always true, and only the statements of these lists
-- have it. Without it, Postgres also used these indexes for one organization that has most of the rows, and read those of
-- the others until it came to the first of its own.
create index concurrently if not exists teams_of_all_by_created_at on teams (created_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists teams_of_all_by_updated_at on teams (updated_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists curricula_of_all_by_created_at on curricula (created_at, id)
  where id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists curricula_of_all_by_updated_at on curricula (updated_at, id)
  where id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists curricula_of_all_by_title on curricula (title, id)
  where id >= '00000000-0000-0000-0000-000000000000';
drop index concurrently if exists teams_live_created_at;
drop index concurrently if exists teams_live_updated_at;
