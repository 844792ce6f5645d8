-- How many rows the lists have, so that the total of a list need not read it: of 1,000,000 workspaces that took 335 ms.
-- A list of a scope (an organization, a workspace, a user) may have a row in each slot; they are added up. A transaction
-- writes to the lowest slot that no other transaction has: so writers of one organization never wait for each other, no
-- deadlock is possible, and there are no more rows than there were writers at once. Slot -1 has what was there before.
create table live_counts (
  list text collate "C" not null,
  scope uuid not null,
  slot integer not null,
  count bigint not null,
  primary key (list, scope, slot)
) with (fillfactor = 50);

-- Triggers rather than statements of the programs, so that no writer can forget the count: neither a later program, nor
-- the release before while both run, nor an operator with psql. Per statement, so that deleting 100,000 rows changes one
-- count once. They run with the rights of the owner: the program's role may read counts, not write them.
--
-- Reserves a slot of the table until the transaction ends, the same one each time or another one that is free.
create function reserve_count_slot(counted_table oid) returns integer
language plpgsql as $$
declare
  slot integer := 0;
begin
  while not pg_try_advisory_xact_lock(counted_table::integer, slot) loop
    slot := slot + 1;
  end loop;
  return slot;
end
$$;
revoke execute on function reserve_count_slot from public;

-- Counts the live records of organizations.
create function count_records() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, count(*)
      from new_rows
      where deleted_at is null
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'UPDATE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, sum(change)
      from (
        select organization_id, 1 as change from new_rows where deleted_at is null
        union all
        select organization_id, -1 from old_rows where deleted_at is null
      ) changes
      group by organization_id
      having sum(change) <> 0
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, organization_id, own_slot, -count(*)
      from old_rows
      where deleted_at is null
      group by organization_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;
