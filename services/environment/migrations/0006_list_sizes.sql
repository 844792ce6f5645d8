-- What live_counts has to contain (service/0006_wrong_counts.sql).
create view list_sizes (list, scope, count) as
select 'credentials' collate "C", organization_id, count(*) from credentials where deleted_at is null group by organization_id
union all
select 'environments', organization_id, count(*) from environments where deleted_at is null group by organization_id
union all
select 'connections', organization_id, count(*) from connections where deleted_at is null group by organization_id;
