-- The transaction that wrote an entry, by which a reader of the log, oldest first, finds those that were committed after later
-- ones (service, followed-lines-sql.ts). Entries that exist count as written before all others. A constant is added without
-- writing each row.
alter table audit_events add column xact xid8 not null default '0';
alter table audit_events alter column xact set default pg_current_xact_id();
