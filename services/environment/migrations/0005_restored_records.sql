-- concurrently: large tables are written meanwhile
-- Finds the records that were deleted with their organization, which are restored in batches if it is live after all. The
-- index has deleted records only, so it costs nothing until then.
create index concurrently if not exists credentials_by_deleted_at on credentials (organization_id, deleted_at, id)
  where deleted_at is not null;
create index concurrently if not exists environments_by_deleted_at on environments (organization_id, deleted_at, id)
  where deleted_at is not null;
create index concurrently if not exists connections_by_deleted_at on connections (organization_id, deleted_at, id)
  where deleted_at is not null;
