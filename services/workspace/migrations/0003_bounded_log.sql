-- Callers choose the ids in the log: one of 1.5 MB was stored as sent. The service cuts them to 64 characters; these
-- constraints are the second line of defence. The ids and the time of a line are the 64 bytes that 1 KiB exceeds 960 by.
update activity_events
set acted_upon = left(acted_upon, 64)
where char_length(acted_upon) > 64;

alter table activity_events
  add constraint activity_events_acted_upon_length check (char_length(acted_upon) <= 64) not valid,
  add constraint activity_events_line_size check (
    octet_length(owner) + octet_length(description) + octet_length(acted_upon) + octet_length(acted_upon_kind)
      + octet_length(metadata::text) <= 960
  ) not valid;
