-- concurrently: large tables are written meanwhile
-- New entries are always the last ones of the index.
create index concurrently if not exists audit_events_by_xact on audit_events (xact, id) where xact > '0';
