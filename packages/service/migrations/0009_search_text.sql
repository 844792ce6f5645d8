-- How searches compare texts. In NFD, so that it does not matter whether a letter and its accent were typed as one character
-- or as two; and folded without context: lower() ends a word with another sigma than it has within one, so that ΟΔΟΣΗΜΑ was
-- not found by ΟΔΟΣ. lower(upper()) has no other context, and finds ß by ss and ﬁ by FI as well. Of ASCII it is lower() alone.
--
-- Neither is strict: only so does Postgres inline them, and a call takes 5 µs.
create function fold_letters(value text) returns text
language sql immutable parallel safe
return replace(replace(lower(upper(value collate "und-x-icu") collate "und-x-icu"), 'ς', 'σ'), 'ß', 'ss');

create function search_text(value text) returns text
language sql immutable parallel safe
return case
  when octet_length(value) = char_length(value) then lower(value collate "C") collate "und-x-icu"
  else fold_letters(normalize(value, nfd))
end;

-- As before, but for `folded`: the keys of ASCII texts are the same. The path of names is for search_text, which Postgres
-- would not find when it builds an index.
create or replace function search_keys(scope uuid, value text) returns tsvector
language plpgsql immutable parallel safe strict cost 10000 set search_path from current as $$
declare
  folded text := search_text(value);
  keys text[] := array[chr(1) || scope];
begin
  for n in 1 .. char_length(folded) loop
    keys[n + 1] := substr(folded, n, 3);
  end loop;
  return array_to_tsvector(keys);
end
$$;

create or replace function search_query(scope uuid, value text) returns tsquery
language plpgsql immutable parallel safe cost 100 set search_path from current as $$
declare
  folded text := left(search_text(value), 48);
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
