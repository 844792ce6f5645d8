-- Counts the links to teams and environments from now on, and those that are there.
-- By statement, for the reasons of live_counts. A workspace of fewer than 500 links has no copy (that takes 1,000), so
-- its changes are counted, not kept. Of others, the last 10,000 of each slot are kept; after more, or after a
-- statement of more than 1,000, the copy takes all links.
create or replace function count_link_changes() returns trigger
language plpgsql security definer set search_path from current
-- A session plans once: when the table is small a scan is cheaper, and still used when it is large.
set enable_seqscan = off as $$
declare
  sign constant integer := case tg_op when 'INSERT' then 1 else -1 end;
  own_slot integer;
  changed record;
  last_change bigint;
  all_links bigint;
begin
  -- One workspace after another: a statement that joined them took 20 s for a team of 10,000 workspaces.
  for changed in
    select workspace_id, kind, count(*) as links, sum(link_hash(resource_id)) as hash,
      case when count(*) <= 1000 then array_agg(resource_id) end as ids
    from changed_rows
    where kind in ('team', 'environment')
    group by workspace_id, kind
  loop
    own_slot := coalesce(own_slot, reserve_count_slot(tg_relid));
    insert into link_states as kept (workspace_id, kind, slot, changes, links, hash)
    values (changed.workspace_id, changed.kind, own_slot, changed.links, sign * changed.links, sign * changed.hash)
    on conflict (workspace_id, kind, slot) do update
    set changes = kept.changes + excluded.changes, links = kept.links + excluded.links, hash = kept.hash + excluded.hash
    returning changes into last_change;

    select sum(links) into all_links
    from link_states
    where workspace_id = changed.workspace_id and kind = changed.kind;
    if all_links < 500 then
      -- Below it for the first time, or the deletion of the workspace: its changes are no longer needed.
      if all_links + changed.links >= 500 then
        delete from link_changes
        where workspace_id = changed.workspace_id and kind = changed.kind and slot = own_slot;
      end if;
      continue;
    end if;
    insert into link_changes (workspace_id, kind, slot, number, resource_id)
    select changed.workspace_id, changed.kind, own_slot, last_change + 1 - n, id
    from unnest(changed.ids) with ordinality as ids (id, n);
    -- Each hundredth time, which costs the others nothing.
    if last_change % 100 < changed.links then
      delete from link_changes
      where workspace_id = changed.workspace_id and kind = changed.kind and slot = own_slot
        and number <= last_change - 10000;
    end if;
  end loop;
  return null;
end
$$;

-- Counts the links of a workspace again and corrects their state, which is wrong only if triggers were disabled.
-- Returns whether it was. The difference is of one snapshot, so it stays right while others count in their slots; and
-- the change has no row in link_changes, so that copies take all links.
create or replace function recount_links(workspace uuid, linked_kind text) returns boolean
language plpgsql security definer set search_path from current as $$
begin
  -- Two of them would correct the same difference twice.
  perform pg_advisory_xact_lock('link_states'::regclass::oid::integer, hashtext(workspace || linked_kind));
  insert into link_states as kept (workspace_id, kind, slot, changes, links, hash)
  select workspace, linked_kind, -1, 1, counted.links - states.links, counted.hash - states.hash
  from (
    select count(*) as links, coalesce(sum(link_hash(resource_id)), 0) as hash
    from assignments
    where workspace_id = workspace and kind = linked_kind
  ) counted, (
    select coalesce(sum(links), 0) as links, coalesce(sum(hash), 0) as hash
    from link_states
    where workspace_id = workspace and kind = linked_kind
  ) states
  where (counted.links, counted.hash) <> (states.links, states.hash)
  on conflict (workspace_id, kind, slot) do update
  set changes = kept.changes + 1, links = kept.links + excluded.links, hash = kept.hash + excluded.hash;
  return found;
end
$$;

lock table assignments in share row exclusive mode;
create or replace trigger assignments_insert_count after insert on assignments referencing new table as changed_rows
  for each statement execute function count_link_changes();
create or replace trigger assignments_delete_count after delete on assignments referencing old table as changed_rows
  for each statement execute function count_link_changes();
delete from link_states;
delete from link_changes;

-- from a snapshot: counting would stop all writers for as long as it takes
insert into link_states (workspace_id, kind, slot, changes, links, hash)
select workspace_id, kind, -1, count(*), count(*), sum(link_hash(resource_id))
from assignments
where kind in ('team', 'environment')
group by workspace_id, kind;
