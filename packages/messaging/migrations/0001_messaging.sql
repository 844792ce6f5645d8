-- UUIDv7: 48 bits of milliseconds, then random bits (RFC 9562, 5.7). Made here so that one clock orders all events.
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
  -- Adds to the headers that the relay makes, or replaces them (a replayed event keeps its ce-id).
  headers jsonb not null default '{}',
  created_at timestamptz not null default now(),
  -- A relay's lease; free again when it has passed.
  claimed_until timestamptz,
  published_at timestamptz,
  -- Where the event was stored: the stream's creation stamp and the sequence in it.
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
  -- Null when the message was too broken to tell.
  event_id text,
  headers jsonb not null,
  payload bytea not null,
  error text not null,
  tries integer not null,
  parked_at timestamptz not null default now(),
  replayed_at timestamptz,
  unique (consumer, event_id)
);
