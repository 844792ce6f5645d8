-- What live_counts has to contain (service/0006_wrong_counts.sql).
create view list_sizes (list, scope, count) as
select 'teams' collate "C", organization_id, count(*) from teams where deleted_at is null group by organization_id
union all
select 'invitations', organization_id, count(*) from invitations group by organization_id
union all
select 'curricula', organization_id, count(*) from curricula group by organization_id
union all
select 'tokens', user_id, count(*) from tokens group by user_id;
