-- The keys by which searches find records: the scope (an organization) and each three successive characters of the text
-- in lower case, the last two and the last one. They are the lexemes of a tsvector only because GIN finds those by their
-- beginnings too, which serves searches of one or two characters.
--
-- Not pg_trgm: it leaves out what is no letter or digit in the locale of the database, so that in C nothing Japanese is
-- found by index; it cannot include the scope without a second extension, so that a rare word of one organization costs
-- all that the others have of it; and extensions belong to the database, not to one of its three schemas.
--
-- The cost keeps the planner from computing keys row by row: 30 µs each.
create function search_keys(scope uuid, value text) returns tsvector
language plpgsql immutable parallel safe strict cost 10000 as $$
declare
  folded text := lower(value collate "und-x-icu");
  keys text[] := array[chr(1) || scope];
begin
  for n in 1 .. char_length(folded) loop
    keys[n + 1] := substr(folded, n, 3);
  end loop;
  return array_to_tsvector(keys);
end
$$;

-- The keys that a row needs if it contains the text: each third key, and the last one; of more than 48 characters, the
-- first. A row that has them need not contain the text.
create function search_query(scope uuid, value text) returns tsquery
language plpgsql immutable parallel safe cost 100 as $$
declare
  folded text := left(lower(value collate "und-x-icu"), 48);
  key text;
  wanted tsquery;
begin
  if scope is not null then
    wanted := ('''' || chr(1) || scope || '''')::tsquery;
  end if;
  for n in 1 .. greatest(char_length(folded), 3) - 2 loop
    continue when n % 3 <> 1 and n <> char_length(folded) - 2;
    key := '''' || replace(replace(substr(folded, n, 3), '\', '\\'), '''', '''''') || '''';
    if char_length(folded) < 3 then
      key := key || ':*';
    end if;
    wanted := case when wanted is null then key::tsquery else wanted && key::tsquery end;
  end loop;
  return wanted;
end
$$;
