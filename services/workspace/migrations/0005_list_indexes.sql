-- concurrently: large tables are written meanwhile
-- Searches find records by their keys (service/0004_search_keys.sql). New entries wait in a list, so that writers do not
-- contend for the pages of common keys; it is short, because every search reads it and one writer in 170 empties it.
create index concurrently if not exists workspaces_search on workspaces
  using gin (search_keys(organization_id, name || e'\n' || description))
  with (gin_pending_list_limit = 256)
  where deleted_at is null;
create index concurrently if not exists designs_search on designs
  using gin (search_keys(organization_id, name || e'\n' || description))
  with (gin_pending_list_limit = 256)
  where deleted_at is null;
create index concurrently if not exists views_search on views
  using gin (search_keys(organization_id, name || e'\n' || description))
  with (gin_pending_list_limit = 256)
  where deleted_at is null;

-- Lists of all organizations, in each order: walking the whole table took 870 ms for 1,000,000 workspaces. The condition
-- on id is always true, and only the statements of these lists have it. Without it, Postgres also used these indexes for
-- one organization that has most of the rows, and read those of the others until it came to the first of its own.
create index concurrently if not exists workspaces_of_all_by_created_at on workspaces (created_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists workspaces_of_all_by_updated_at on workspaces (updated_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists designs_of_all_by_created_at on designs (created_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists designs_of_all_by_updated_at on designs (updated_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists views_of_all_by_created_at on views (created_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
create index concurrently if not exists views_of_all_by_updated_at on views (updated_at, id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';

-- Searches of a log find the different descriptions first, of which there are few, and then the lines of each.
create index concurrently if not exists activity_events_by_description
  on activity_events (workspace_id, description, created_at, id);
