-- How many requests of a token or an organization all replicas together let pass in a window of a minute. Unlogged: the
-- counts are worthless a minute later, and writing them must cost little. A crash of Postgres empties it.
create unlogged table rate_limit_usage (
  window_start timestamptz not null,
  key text collate "C" not null,
  used integer not null,
  primary key (window_start, key)
);
