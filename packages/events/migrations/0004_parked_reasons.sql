-- Why a message is parked. `failed`: its effect failed in every attempt. `refuted`: it reports the deletion of a
-- record that is live. `unknown`: it reports the deletion of a record that is unknown to its owner; each pass of the
-- reconciler checks again.
alter table parked_messages
  add column reason text not null default 'failed' check (reason in ('failed', 'refuted', 'unknown'));
create index parked_messages_unknown on parked_messages (id) where reason = 'unknown' and replayed_at is null;

-- True while the attempt waits for the database: if the process ends then, the message did not cause it.
alter table begun_tries add column waits boolean not null default false;
