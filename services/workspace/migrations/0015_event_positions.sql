-- The transaction that wrote a line of the log, for watches. Lines become visible at commit, in no order of their ids or
-- times; all lines of transactions before the oldest one in progress are visible. Lines that exist count as written
-- before all others. A constant is added without writing each row.
alter table activity_events add column xact xid8 not null default '0';
alter table activity_events alter column xact set default pg_current_xact_id();
