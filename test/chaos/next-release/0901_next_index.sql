-- concurrently: large tables are written meanwhile
create index concurrently if not exists workspaces_by_colour on workspaces (organization_id, colour)
  where deleted_at is null;
