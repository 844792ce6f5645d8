-- concurrently: large tables are written meanwhile
-- Lists by title have the order of ICU's root collation, the same on every server. Under the names of the indexes that they
-- replace; lists of the release before sort their rows meanwhile.
create index concurrently if not exists curricula_by_root_title
  on curricula (organization_id, title collate "und-x-icu", id);
drop index concurrently if exists curricula_by_title;
alter index curricula_by_root_title rename to curricula_by_title;
create index concurrently if not exists curricula_of_all_by_root_title on curricula (title collate "und-x-icu", id)
  where id >= '00000000-0000-0000-0000-000000000000';
drop index concurrently if exists curricula_of_all_by_title;
alter index curricula_of_all_by_root_title rename to curricula_of_all_by_title;
