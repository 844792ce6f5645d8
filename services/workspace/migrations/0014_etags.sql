-- concurrently: each statement locks one table, for a moment, and none waits for the lock of another one meanwhile
-- Entity tags (service/0007_etags.sql). Records that exist have the same one until they are updated, because a constant is
-- added without writing each row: a tag is compared with those of the same record only.
alter table workspaces add column if not exists etag text not null default '"0"';
alter table workspaces alter column etag set default new_etag();
create or replace trigger workspaces_etag before update on workspaces for each row execute function change_etag();
alter table designs add column if not exists etag text not null default '"0"';
alter table designs alter column etag set default new_etag();
create or replace trigger designs_etag before update on designs for each row execute function change_etag();
alter table views add column if not exists etag text not null default '"0"';
alter table views alter column etag set default new_etag();
create or replace trigger views_etag before update on views for each row execute function change_etag();
