-- concurrently: large tables are written meanwhile
-- Names and emails together: who may not see emails searches the names alone, whose keys are among them
-- (service/0004_search_keys.sql).
create index concurrently if not exists members_search on members
  using gin (search_keys(organization_id, name || e'\n' || email))
  with (gin_pending_list_limit = 256);
create index concurrently if not exists team_members_by_created_at on team_members (team_id, created_at, user_id);
