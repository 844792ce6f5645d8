-- Numbers publications in the order in which they are recorded. The relay reads the current number before it reads the
-- state of the stream: events with lower numbers were stored before that state, even if a clock was stepped meanwhile.
-- The number is kept when an event becomes unpublished again. It is null until the first publication, and if that was
-- recorded by the previous release, which does not set it. Null counts as old; if the event is therefore published
-- again, the stream drops the duplicate.
create sequence outbox_publications;
alter table outbox add column publication bigint;
alter sequence outbox_publications owned by outbox.publication;
