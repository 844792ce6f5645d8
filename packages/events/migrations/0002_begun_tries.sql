-- Counts how often a consumer began to apply a message that had been delivered before without an ack. A row that
-- remains shows that the process ended during the attempt. Deleted when the message is applied or parked.
create table begun_tries (
  consumer text not null,
  event_id text not null,
  tries integer not null,
  primary key (consumer, event_id)
);
