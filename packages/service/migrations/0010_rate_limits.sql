-- The requests of a token or an organization in its window, as RateLimiterPostgres of rate-limiter-flexible keeps them: `expire`
-- is in milliseconds since 1970. Unlogged: the counts are worthless a minute later, and writing them must cost little. A crash
-- of Postgres empties it. It replaces rate_limit_usage, which the release before this one still uses, and a later release drops.
create unlogged table rate_limits (
  key text collate "C" primary key,
  points integer not null default 0,
  expire bigint
);
