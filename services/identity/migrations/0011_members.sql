-- Lists of members have a row for each: `memberships` has one for each role. Triggers write it, so that no writer of
-- roles or users can forget it, the release before this one included; the program's role may only read it.
create table if not exists members (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  -- The user's first and last name and email, by which a search finds the member.
  name text not null,
  email text not null,
  created_at timestamptz(3) not null default now(),
  -- When the roles changed last.
  updated_at timestamptz(3) not null default now(),
  primary key (organization_id, user_id)
);
create index if not exists members_by_created_at on members (organization_id, created_at, user_id);
create index if not exists members_by_updated_at on members (organization_id, updated_at, user_id);
create index if not exists members_user_id on members (user_id);

create or replace function name_of(first_name text, last_name text) returns text
language sql immutable parallel safe strict as $$
  select btrim(first_name || ' ' || last_name)
$$;

-- Keeps `members` when roles are given or taken. Two transactions never change the roles of one member at once: both lock
-- the organization.
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
      on conflict (organization_id, user_id) do update set updated_at = now();
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
      set updated_at = now()
      from (select distinct organization_id, user_id from old_rows) taken
      where members.organization_id = taken.organization_id and members.user_id = taken.user_id;
  end case;
  return null;
end
$$;

-- Keeps `members` when users change, are deleted or come back.
create or replace function update_members_of_users() returns trigger
language plpgsql security definer set search_path from current as $$
begin
  delete from members
  using new_rows u
  where members.user_id = u.id and u.deleted_at is not null;
  insert into members as kept (organization_id, user_id, name, email, created_at)
  select given.organization_id, u.id, name_of(u.first_name, u.last_name), u.email, min(given.created_at)
  from new_rows u
  join memberships given on given.user_id = u.id
  where u.deleted_at is null
  group by given.organization_id, u.id, u.first_name, u.last_name, u.email
  order by given.organization_id, u.id
  on conflict (organization_id, user_id) do update set name = excluded.name, email = excluded.email
  where (kept.name, kept.email) <> (excluded.name, excluded.email);
  return null;
end
$$;

create or replace function count_team_members() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  own_slot constant integer := reserve_count_slot(tg_relid);
begin
  case tg_op
    when 'INSERT' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, team_id, own_slot, count(*)
      from new_rows
      group by team_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
    when 'DELETE' then
      insert into live_counts as kept (list, scope, slot, count)
      select tg_table_name, team_id, own_slot, -count(*)
      from old_rows
      group by team_id
      on conflict (list, scope, slot) do update set count = kept.count + excluded.count;
  end case;
  return null;
end
$$;

lock table users, memberships, team_members in share row exclusive mode;
create or replace trigger members_insert_count after insert on members referencing new table as new_rows
  for each statement execute function count_of_organization();
create or replace trigger members_delete_count after delete on members referencing old table as old_rows
  for each statement execute function count_of_organization();
create or replace trigger memberships_insert_member after insert on memberships referencing new table as new_rows
  for each statement execute function update_members();
create or replace trigger memberships_delete_member after delete on memberships referencing old table as old_rows
  for each statement execute function update_members();
create or replace trigger users_update_member after update on users referencing new table as new_rows
  for each statement execute function update_members_of_users();
create or replace trigger team_members_insert_count after insert on team_members referencing new table as new_rows
  for each statement execute function count_team_members();
create or replace trigger team_members_delete_count after delete on team_members referencing old table as old_rows
  for each statement execute function count_team_members();
-- Under the locks, unlike counts: a member who was removed meanwhile would come back from a snapshot, and no later event
-- would remove them. Only changes of roles wait.
insert into members (organization_id, user_id, name, email, created_at)
select given.organization_id, u.id, name_of(u.first_name, u.last_name), u.email, min(given.created_at)
from memberships given
join users u on u.id = given.user_id and u.deleted_at is null
group by given.organization_id, u.id
on conflict do nothing;
delete from live_counts where list = 'team_members';

create or replace view list_sizes (list, scope, count) as
select 'teams' collate "C", organization_id, count(*) from teams where deleted_at is null group by organization_id
union all
select 'invitations', organization_id, count(*) from invitations group by organization_id
union all
select 'curricula', organization_id, count(*) from curricula group by organization_id
union all
select 'tokens', user_id, count(*) from tokens group by user_id
union all
select 'members', organization_id, count(*) from members group by organization_id
union all
select 'team_members', team_id, count(*) from team_members group by team_id;

-- from a snapshot: counting would stop all writers for as long as it takes
insert into live_counts (list, scope, slot, count)
select 'team_members', team_id, -1, count(*) from team_members group by team_id;
