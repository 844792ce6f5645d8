-- Fails the transaction unless as many rows are locked as were wanted (packages/service/src/records/lock-all.ts). The release
-- before this one divides by zero instead, and needs no function.
create function assert_locked(locked bigint, wanted bigint) returns void
language plpgsql as $$
begin
  if locked is distinct from wanted then
    raise exception 'locked % of % rows', locked, wanted using errcode = 'LK001';
  end if;
end
$$;
