-- Counts the rows of the lists from now on, and those that are there (live_counts, service/0003).
lock table credentials, environments, connections in share row exclusive mode;
create or replace trigger credentials_insert_count after insert on credentials referencing new table as new_rows
  for each statement execute function count_records();
create or replace trigger credentials_update_count after update on credentials referencing old table as old_rows new table as new_rows
  for each statement execute function count_records();
create or replace trigger credentials_delete_count after delete on credentials referencing old table as old_rows
  for each statement execute function count_records();
create or replace trigger environments_insert_count after insert on environments referencing new table as new_rows
  for each statement execute function count_records();
create or replace trigger environments_update_count after update on environments referencing old table as old_rows new table as new_rows
  for each statement execute function count_records();
create or replace trigger environments_delete_count after delete on environments referencing old table as old_rows
  for each statement execute function count_records();
create or replace trigger connections_insert_count after insert on connections referencing new table as new_rows
  for each statement execute function count_records();
create or replace trigger connections_update_count after update on connections referencing old table as old_rows new table as new_rows
  for each statement execute function count_records();
create or replace trigger connections_delete_count after delete on connections referencing old table as old_rows
  for each statement execute function count_records();
delete from live_counts;

-- from a snapshot: counting would stop all writers for as long as it takes
insert into live_counts (list, scope, slot, count)
select 'credentials', organization_id, -1, count(*) from credentials where deleted_at is null group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'environments', organization_id, -1, count(*) from environments where deleted_at is null group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'connections', organization_id, -1, count(*) from connections where deleted_at is null group by organization_id;
