-- How often a consumer began to apply a message that had been delivered before and had no answer: a row that stays tells
-- that the process ended meanwhile. Goes when the message was applied or parked.
create table begun_tries (
  consumer text not null,
  event_id text not null,
  tries integer not null,
  primary key (consumer, event_id)
);
