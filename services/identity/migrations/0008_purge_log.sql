-- Deletes the next lines of the log, at most `most`, that are older than `age` days and have ids after `after`, which is
-- empty for the first ones. Ids contain the time (UUIDv7), so the primary key has the lines in their order, and no
-- further index is written with each line; a day is added because the clock of the program that creates an id may differ
-- from that of Postgres.
--
-- With the rights of the owner: the program's role may only read the log and add to it. Whoever takes over a program can
-- thereby delete no line that is younger than 30 days. Only roles with rights on the schema can call it.
create function purge_audit_events(after text, age integer, most integer)
returns table (deleted integer, last text)
language plpgsql security definer set search_path from current as $$
declare
  oldest_kept constant timestamptz := now() - make_interval(days => age);
  newest_id constant uuid := (
    lpad(to_hex((extract(epoch from oldest_kept + interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20)
  )::uuid;
begin
  if age is null or age < 30 then
    raise exception 'lines of the log are kept for at least 30 days' using errcode = 'check_violation';
  end if;
  return query
    with expired as (
      select log.ctid as place, log.id
      from audit_events log
      where log.id > coalesce(nullif(after, ''), '00000000-0000-0000-0000-000000000000')::uuid
        and log.id < newest_id
        and log.created_at < oldest_kept
      order by log.id
      limit most
      for update skip locked
    ),
    gone as (
      delete from audit_events
      where ctid = any(array(select place from expired))
    )
    select count(*)::integer, max(expired.id::text collate "C")
    from expired;
end
$$;
