-- Compares the counts of the lists with their rows, and corrects them if `repair`: they are wrong only if triggers were
-- disabled, or rows were truncated. Each service has a view `list_sizes (list, scope, count)`, created after this function.
--
-- The difference is of one snapshot, so it stays right while others count in their slots; it is added in slot -1. With the
-- rights of the owner: the program's role may only read counts.
create function wrong_counts(repair boolean) returns table (list text, scope uuid, counted bigint, rows bigint)
language plpgsql security definer set search_path from current as $$
#variable_conflict use_column
begin
  if repair then
    -- Two of them would correct the same difference twice.
    perform pg_advisory_xact_lock('live_counts'::regclass::oid::integer, 0);
  end if;
  return query
    with kept as (
      select list, scope, sum(count) as count
      from live_counts
      group by list, scope
    ),
    wrong as (
      select list, scope, coalesce(kept.count, 0)::bigint as counted, coalesce(sizes.count, 0)::bigint as rows
      from kept
      full join list_sizes sizes using (list, scope)
      where coalesce(kept.count, 0) <> coalesce(sizes.count, 0)
    ),
    repaired as (
      insert into live_counts as corrected (list, scope, slot, count)
      select list, scope, -1, rows - counted
      from wrong
      where repair
      on conflict (list, scope, slot) do update set count = corrected.count + excluded.count
    )
    select list collate "default", scope, counted, rows
    from wrong
    order by list, scope;
end
$$;
