-- What live_counts has to contain (service/0006_wrong_counts.sql).
create view list_sizes (list, scope, count) as
select 'workspaces' collate "C", organization_id, count(*) from workspaces where deleted_at is null group by organization_id
union all
select 'designs:' || visibility, organization_id, count(*) from designs where deleted_at is null group by organization_id, visibility
union all
select 'views:' || visibility, organization_id, count(*) from views where deleted_at is null group by organization_id, visibility
union all
select 'activity_events', workspace_id, count(*) from activity_events group by workspace_id;
