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

-- The keys of both forms of a text, as searches compare it and as it was typed: several marks on one letter have an order in
-- NFD, so a part that ends between them is a part of the latter only. The keys of ASCII texts are those of before. The path of
-- names is for search_text, which Postgres would not find when it builds an index.
create or replace function search_keys(scope uuid, value text) returns tsvector
language plpgsql immutable parallel safe strict cost 10000 set search_path from current as $$
declare
  folded text := search_text(value);
  typed text := case when octet_length(value) = char_length(value) then folded else fold_letters(value) end;
  keys text[] := array[chr(1) || scope];
begin
  for n in 1 .. char_length(folded) loop
    keys[n + 1] := substr(folded, n, 3);
  end loop;
  if typed <> folded then
    for n in 1 .. char_length(typed) loop
      keys := keys || substr(typed, n, 3);
    end loop;
  end if;
  return array_to_tsvector(keys);
end
$$;

-- The keys that a row needs if a form of it contains the text: each third key, and the last one; of more than 48 characters,
-- the first.
create function keys_query(folded text) returns tsquery
language plpgsql immutable parallel safe cost 100 as $$
declare
  part text := left(folded, 48);
  key text;
  wanted tsquery;
begin
  for n in 1 .. greatest(char_length(part), 3) - 2 loop
    continue when n % 3 <> 1 and n <> char_length(part) - 2;
    key := '''' || replace(replace(substr(part, n, 3), '\', '\\'), '''', '''''') || '''';
    if char_length(part) < 3 then
      key := key || ':*';
    end if;
    wanted := case when wanted is null then key::tsquery else wanted && key::tsquery end;
  end loop;
  return wanted;
end
$$;

-- Those of either form of the text.
create or replace function search_query(scope uuid, value text) returns tsquery
language plpgsql immutable parallel safe cost 100 set search_path from current as $$
declare
  folded text := search_text(value);
  typed text := fold_letters(value);
  wanted tsquery := keys_query(folded);
begin
  if typed <> folded then
    wanted := wanted || keys_query(typed);
  end if;
  if scope is not null then
    wanted := ('''' || chr(1) || scope || '''')::tsquery && wanted;
  end if;
  return wanted;
end
$$;
