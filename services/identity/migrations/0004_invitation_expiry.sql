-- Expired invitations are found by their time, over all organizations. Only a condition on expires_at implies the second
-- part of the predicate: without it, counts of one organization's pending invitations were planned to read all of this.
create index invitations_pending_by_expiry on invitations (expires_at)
  where status = 'pending' and expires_at is not null;
