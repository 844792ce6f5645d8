-- Generates a UUIDv7: 48 bits of milliseconds, then random bits (RFC 9562, 5.7). Postgres generates the ids so that
-- one clock orders all events.
create function new_event_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
      placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create table outbox (
  id uuid primary key default new_event_id(),
  subject text not null,
  type text not null,
  payload bytea not null,
  -- Added to the headers that the relay sets, or replacing them (a replayed event keeps its ce-id).
  headers jsonb not null default '{}',
  created_at timestamptz not null default now(),
  -- The end of a relay's lease. Afterwards any relay may publish the event.
  claimed_until timestamptz,
  published_at timestamptz,
  -- Where the event is stored: the creation time of the stream, and the sequence number in it.
  stream_created_at text collate "C",
  stream_sequence bigint
);
create index outbox_unpublished on outbox (id) where published_at is null;
create index outbox_published_in on outbox (stream_created_at, stream_sequence) where published_at is not null;
create index outbox_published_at on outbox (published_at) where published_at is not null;

create table inbox (
  consumer text not null,
  event_id text not null,
  received_at timestamptz not null default now(),
  primary key (consumer, event_id)
);
create index inbox_received_at on inbox (received_at);

create table parked_messages (
  id uuid primary key default new_event_id(),
  consumer text not null,
  subject text not null,
  -- Null if the message is too malformed to contain one.
  event_id text,
  headers jsonb not null,
  payload bytea not null,
  error text not null,
  tries integer not null,
  parked_at timestamptz not null default now(),
  replayed_at timestamptz,
  unique (consumer, event_id)
);
