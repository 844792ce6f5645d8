-- The replies to calls with an idempotency key, each written in the transaction of what it reports. The key itself is not
-- stored, only a digest of it with its caller and RPC: the reply is encrypted with a key that is derived from it, because
-- that of CreateToken contains a secret.
create table idempotent_replies (
  key_digest bytea primary key check (length(key_digest) = 32),
  request_digest bytea not null check (length(request_digest) = 32),
  -- Empty only within the transaction that inserts the row.
  reply bytea not null default '',
  created_at timestamptz not null default now()
);
create index idempotent_replies_created_at on idempotent_replies (created_at);
