-- The copies that identity and the environment service have of the links of large workspaces to their records, so that a
-- list of 100,000 linked records does not take all their ids along (docs/adr/0022-copies-of-links.md). A call that lists
-- brings its copy up to date first; no event is involved. The workspace service has no copies.

-- Which links there are, as a number: the sum of these. SHA-256, which is the same in all versions of Postgres; of 44
-- bits, so that two different sets have the same sum once in 17 trillion.
create function link_hash(id uuid) returns bigint
language sql immutable strict parallel safe as $$
  select ('x' || left(encode(sha256(uuid_send(id)), 'hex'), 11))::bit(44)::bigint
$$;

-- Ids of 16 bytes each: a tenth of the time that an array of 100,000 takes as text.
create function unpacked_ids(packed bytea) returns setof uuid
language sql immutable strict parallel safe rows 1000 as $$
  select encode(substr(packed, 16 * n + 1, 16), 'hex')::uuid
  from generate_series(0, octet_length(packed) / 16 - 1) n
$$;

create table link_copies (
  workspace_id uuid primary key,
  organization_id uuid not null,
  -- That of the workspace service, compared for equality only.
  position text not null default '',
  links bigint not null default 0,
  hash numeric not null default 0,
  -- How many of the records are live: the total of the list.
  live_links bigint not null default 0,
  used_at timestamptz not null default now()
) with (fillfactor = 50);
create index link_copies_by_organization on link_copies (organization_id);
create index link_copies_by_use on link_copies (used_at);

create table copied_links (
  workspace_id uuid not null,
  record_id uuid not null,
  primary key (workspace_id, record_id)
);

-- Counts the copied links of records that are deleted or restored. A copy is changed under the exclusive lock of its
-- organization: otherwise it might count a record as live whose deletion is about to commit. Deletions share that lock.
create function count_copied_links() returns trigger
language plpgsql set search_path from current as $$
declare
  organizations uuid[];
begin
  select array_agg(distinct organization_id)
  into organizations
  from (
    select organization_id
    from (
      select id, organization_id, 1 as change from new_rows where deleted_at is null
      union all
      select id, organization_id, -1 from old_rows where deleted_at is null
    ) changes
    group by id, organization_id
    having sum(change) <> 0
  ) changed;
  if organizations is null then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared('link_copies'::regclass::oid::integer, hashtext(id::text))
  from unnest(organizations) id;
  -- In order, so that two deletions do not deadlock.
  perform
  from link_copies
  where organization_id = any(organizations)
  order by workspace_id
  for no key update;
  if not found then
    return null;
  end if;
  update link_copies
  set live_links = live_links + counted.change
  from (
    select copies.workspace_id, sum(change) as change
    from (
      select id, organization_id, 1 as change from new_rows where deleted_at is null
      union all
      select id, organization_id, -1 from old_rows where deleted_at is null
    ) changes
    join link_copies copies using (organization_id)
    -- A look-up for each of them: statistics lag behind what was just copied, so a join might read all links.
    where (select true from copied_links where workspace_id = copies.workspace_id and record_id = changes.id)
    group by copies.workspace_id
  ) counted
  where link_copies.workspace_id = counted.workspace_id and counted.change <> 0;
  return null;
end
$$;
