-- Finds the workspaces that lost their links to a resource which was mistakenly treated as deleted.
create index activity_events_by_deleted_resource on activity_events (acted_upon, created_at)
  where metadata->>'reason' = 'deleted';
