-- The times of members and of lines of the audit log are those of their statements: now() is that of BEGIN, and a writer that
-- waits for another one may have begun first.
create or replace function update_members() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  case tg_op
    when 'INSERT' then
      insert into members as kept (organization_id, user_id, name, email, created_at)
      select given.organization_id, u.id, name_of(u.first_name, u.last_name), u.email, min(given.created_at)
      from new_rows given
      join users u on u.id = given.user_id and u.deleted_at is null
      group by given.organization_id, u.id
      order by given.organization_id, u.id
      on conflict (organization_id, user_id) do update set updated_at = greatest(kept.updated_at, clock_timestamp());
    when 'DELETE' then
      delete from members
      using (select distinct organization_id, user_id from old_rows) taken
      where members.organization_id = taken.organization_id and members.user_id = taken.user_id
        and not exists (
          select
          from memberships
          where organization_id = taken.organization_id and user_id = taken.user_id
        );
      update members
      set updated_at = greatest(members.updated_at, clock_timestamp())
      from (select distinct organization_id, user_id from old_rows) taken
      where members.organization_id = taken.organization_id and members.user_id = taken.user_id;
  end case;
  return null;
end
$$;

alter table audit_events alter column created_at set default clock_timestamp();
