-- Deleted organizations that still have live teams, because one transaction does not delete more than 250. Each pass of
-- the service deletes the rest; lists of all organizations leave their teams out meanwhile. Mostly empty.
create table ending_organizations (
  id uuid primary key references organizations (id)
);
