-- Creates an entity tag, with its quotes (RFC 9110, 8.8.3; AIP-154). 62 of its bits are random, so that no state of a record
-- has the tag of an earlier one, not even when a backup was restored that does not know of that one, which a counter would
-- repeat; and two updates within a microsecond have different ones, which times would not.
create function new_etag() returns text language sql volatile as $$
  select '"' || right(replace(gen_random_uuid()::text, '-', ''), 16) || '"'
$$;

-- Gives a row that is updated another tag. A trigger rather than the statements of the programs, so that no writer can
-- forget it: neither the release before while both run, nor an operator with psql.
create function change_etag() returns trigger language plpgsql set search_path from current as $$
begin
  new.etag := new_etag();
  return new;
end
$$;
