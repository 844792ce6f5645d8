-- Counts the rows of the lists from now on, and those that are there (live_counts, service/0003).
-- Counts rows of organizations that are never marked as deleted.
create or replace function count_of_organization() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, count(*)
      from new_rows
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, -count(*)
      from old_rows
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;

-- Counts the tokens of users, revoked ones included.
create or replace function count_tokens() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, user_id, own_slot, count(*)
      from new_rows
      group by user_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, user_id, own_slot, -count(*)
      from old_rows
      group by user_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;

lock table invitations, teams, tokens, curricula in share row exclusive mode;
create or replace trigger teams_insert_count after insert on teams referencing new table as new_rows
  for each statement execute function count_records();
create or replace trigger teams_update_count after update on teams referencing old table as old_rows new table as new_rows
  for each statement execute function count_records();
create or replace trigger teams_delete_count after delete on teams referencing old table as old_rows
  for each statement execute function count_records();
create or replace trigger invitations_insert_count after insert on invitations referencing new table as new_rows
  for each statement execute function count_of_organization();
create or replace trigger invitations_delete_count after delete on invitations referencing old table as old_rows
  for each statement execute function count_of_organization();
create or replace trigger curricula_insert_count after insert on curricula referencing new table as new_rows
  for each statement execute function count_of_organization();
create or replace trigger curricula_delete_count after delete on curricula referencing old table as old_rows
  for each statement execute function count_of_organization();
create or replace trigger tokens_insert_count after insert on tokens referencing new table as new_rows
  for each statement execute function count_tokens();
create or replace trigger tokens_delete_count after delete on tokens referencing old table as old_rows
  for each statement execute function count_tokens();
delete from live_counts;

-- from a snapshot: counting would stop all writers for as long as it takes
insert into live_counts (list, scope, slot, count)
select 'teams', organization_id, -1, count(*) from teams where deleted_at is null group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'invitations', organization_id, -1, count(*) from invitations group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'curricula', organization_id, -1, count(*) from curricula group by organization_id;
insert into live_counts (list, scope, slot, count)
select 'tokens', user_id, -1, count(*) from tokens group by user_id;
