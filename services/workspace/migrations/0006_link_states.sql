-- Counts the links to teams and environments, and keeps their last changes: the services that own those records have
-- copies of the links of large workspaces (docs/adr/0022-copies-of-links.md).
--
-- A row for each slot (live_counts, service/0003), whose transactions commit one after another: so the changes of a slot
-- are numbered in the order in which they become visible. One sequence for all would lose those that commit late.
create table link_states (
  workspace_id uuid not null,
  kind text not null,
  slot integer not null,
  -- How many changes there were.
  changes bigint not null,
  links bigint not null,
  -- The sum of link_hash of the linked ids.
  hash numeric not null,
  primary key (workspace_id, kind, slot)
) with (fillfactor = 50);

-- Which link a change inserted or deleted. Its present state is in assignments.
create table link_changes (
  workspace_id uuid not null,
  kind text not null,
  slot integer not null,
  number bigint not null,
  resource_id uuid not null,
  primary key (workspace_id, kind, slot, number)
);

create function refuse_moved_link() returns trigger
language plpgsql as $$
begin
  raise exception 'a link cannot be changed into another one: its changes are counted';
end
$$;

create trigger assignments_never_move before update on assignments
  for each row when ((old.workspace_id, old.kind, old.resource_id) is distinct from (new.workspace_id, new.kind, new.resource_id))
  execute function refuse_moved_link();
