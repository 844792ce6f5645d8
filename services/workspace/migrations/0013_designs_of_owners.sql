-- concurrently: large tables are written meanwhile
-- The designs that could be assigned to a workspace are listed to their owner: without the index, all of the organization
-- were read for the few of a user.
create index concurrently if not exists designs_by_owner on designs (organization_id, owner, created_at desc, id desc)
  where deleted_at is null;
