-- concurrently: large tables are written meanwhile
-- Lists by name have the order of ICU's root collation, the same on every server. Under the names of the indexes that they
-- replace; lists of the release before sort their rows meanwhile.
create index concurrently if not exists connections_by_root_name
  on connections (organization_id, name collate "und-x-icu", id)
  where deleted_at is null;
drop index concurrently if exists connections_by_name;
alter index connections_by_root_name rename to connections_by_name;
create index concurrently if not exists connections_of_all_by_root_name on connections (name collate "und-x-icu", id)
  where deleted_at is null and id >= '00000000-0000-0000-0000-000000000000';
drop index concurrently if exists connections_of_all_by_name;
alter index connections_of_all_by_root_name rename to connections_of_all_by_name;
