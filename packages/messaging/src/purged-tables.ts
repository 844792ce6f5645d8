import { type PurgedTable, sql } from "@cloud/postgres";

/** Published events. Those that are not published are kept indefinitely. */
export const purgedOutbox: PurgedTable = {
  name: "outbox",
  deleteNext: sql`
    with expired as (
      select ctid, published_at
      from outbox
      where published_at < now() - make_interval(days => $2::integer)
        and published_at >= coalesce(nullif($1, '')::timestamptz, '-infinity')
      order by published_at
      limit $3
      for update skip locked
    ),
    deleted as (
      delete from outbox
      where ctid = any(array(select ctid from expired))
    )
    select count(*)::integer as deleted, max(published_at)::text as last
    from expired`,
  countOld: sql`
    select count(*)::float8 as count
    from outbox
    where published_at < now() - make_interval(days => $1::integer)`,
};

/** Events that have been applied. */
export const purgedInbox: PurgedTable = {
  name: "inbox",
  deleteNext: sql`
    with expired as (
      select ctid, received_at
      from inbox
      where received_at < now() - make_interval(days => $2::integer)
        and received_at >= coalesce(nullif($1, '')::timestamptz, '-infinity')
      order by received_at
      limit $3
      for update skip locked
    ),
    deleted as (
      delete from inbox
      where ctid = any(array(select ctid from expired))
    )
    select count(*)::integer as deleted, max(received_at)::text as last
    from expired`,
  countOld: sql`
    select count(*)::float8 as count
    from inbox
    where received_at < now() - make_interval(days => $1::integer)`,
};
