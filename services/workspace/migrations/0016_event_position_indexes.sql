-- concurrently: large tables are written meanwhile
-- What a watch of a workspace has missed.
create index concurrently if not exists activity_events_by_position
  on activity_events (workspace_id, xact, id);
-- What is new in all logs, read once per replica for all its watches. New entries are always the last ones of the index.
create index concurrently if not exists activity_events_by_xact
  on activity_events (xact, id)
  where xact > '0';
