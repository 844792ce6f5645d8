-- concurrently: large tables are written meanwhile
-- The logs of all workspaces of an organization, newest first.
create index concurrently if not exists activity_events_by_organization
  on activity_events (organization_id, created_at desc, id desc);
