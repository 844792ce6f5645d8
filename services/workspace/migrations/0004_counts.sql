-- Counts the rows of the lists from now on, and those that are there (live_counts, service/0003).
-- Counts the live designs and views of organizations, by visibility: their lists filter by it.
create or replace function count_items() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, count(*)
      from new_rows
      where deleted_at is null
      group by organization_id, visibility
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'UPDATE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, sum(change)
      from (
        select organization_id, visibility, 1 as change from new_rows where deleted_at is null
        union all
        select organization_id, visibility, -1 from old_rows where deleted_at is null
      ) changes
      group by organization_id, visibility
      having sum(change) <> 0
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name || ':' || visibility, organization_id, own_slot, -count(*)
      from old_rows
      where deleted_at is null
      group by organization_id, visibility
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;

-- Counts the lines of the logs of workspaces. No line is ever changed.
create or replace function count_activity_events() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, workspace_id, own_slot, count(*)
      from new_rows
      group by workspace_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, workspace_id, own_slot, -count(*)
      from old_rows
      group by workspace_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;

lock table workspaces, designs, views, activity_events in share row exclusive mode;
create or replace trigger workspaces_insert_count after insert on workspaces referencing new table as new_rows
  for each statement execute function count_records();
create or replace trigger workspaces_update_count after update on workspaces referencing old table as old_rows new table as new_rows
  for each statement execute function count_records();
create or replace trigger workspaces_delete_count after delete on workspaces referencing old table as old_rows
  for each statement execute function count_records();
create or replace trigger designs_insert_count after insert on designs referencing new table as new_rows
  for each statement execute function count_items();
create or replace trigger designs_update_count after update on designs referencing old table as old_rows new table as new_rows
  for each statement execute function count_items();
create or replace trigger designs_delete_count after delete on designs referencing old table as old_rows
  for each statement execute function count_items();
create or replace trigger views_insert_count after insert on views referencing new table as new_rows
  for each statement execute function count_items();
create or replace trigger views_update_count after update on views referencing old table as old_rows new table as new_rows
  for each statement execute function count_items();
create or replace trigger views_delete_count after delete on views referencing old table as old_rows
  for each statement execute function count_items();
create or replace trigger activity_events_insert_count after insert on activity_events referencing new table as new_rows
  for each statement execute function count_activity_events();
create or replace trigger activity_events_delete_count after delete on activity_events referencing old table as old_rows
  for each statement execute function count_activity_events();
delete from live_counts;

-- from a snapshot: counting 10,000,000 lines would stop all writers for seconds
insert into live_counts (list, scope, slot, count)
select 'workspaces', organization_id, -1, count(*) from workspaces where deleted_at is null group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'designs:' || visibility, organization_id, -1, count(*) from designs where deleted_at is null group by organization_id, visibility;
insert into live_counts (list, scope, slot, count)
select 'views:' || visibility, organization_id, -1, count(*) from views where deleted_at is null group by organization_id, visibility;
insert into live_counts (list, scope, slot, count)
select 'activity_events', workspace_id, -1, count(*) from activity_events group by workspace_id;
