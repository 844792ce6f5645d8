-- Email addresses are the same if they differ at most in the case of ASCII letters. lower() folds as the locale of the
-- database does: an invitation to kise@… was also that of the user whose address begins with the KELVIN SIGN.
create function email_key(email text) returns text
language sql immutable parallel safe strict
return lower(email collate "C") collate "default";

do $$
declare
  found text;
begin
  -- Only where lower() keeps I and i apart, as in a Turkish locale, has the index accepted them.
  select string_agg(ids, '; ')
  into found
  from (
    select string_agg(id::text, ', ' order by id) as ids
    from users
    where deleted_at is null
    group by email_key(email)
    having count(*) > 1
    limit 20
  ) same;
  if found is not null then
    raise exception 'live users have the same email address: %', found
      using errcode = 'unique_violation',
        hint = 'Change the address of all but one of them, or set deleted_at, and migrate again.';
  end if;

  -- What was sent is unknown: addresses of invitations are stored in lower case.
  select string_agg(format('%s (user %s)', i.id, u.id), ', ' order by i.id)
  into found
  from invitations i
  join users u on lower(u.email) = i.email and email_key(u.email) <> i.email and u.deleted_at is null
  where i.status = 'pending' and i.user_id is null;
  if found is not null then
    raise warning 'pending invitations whose user has the address with another letter than ASCII in upper case, and cannot accept them any more: %. Revoke them and send others', found;
  end if;
end
$$;
