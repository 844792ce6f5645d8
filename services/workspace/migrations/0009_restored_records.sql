-- concurrently: large tables are written meanwhile
-- Finds the records that were deleted with their organization, which are restored in batches if it is live after all. The
-- index has deleted records only, so it costs nothing until then.
create index concurrently if not exists workspaces_by_deleted_at on workspaces (organization_id, deleted_at, id)
  where deleted_at is not null;
create index concurrently if not exists designs_by_deleted_at on designs (organization_id, deleted_at, id)
  where deleted_at is not null;
create index concurrently if not exists views_by_deleted_at on views (organization_id, deleted_at, id)
  where deleted_at is not null;
