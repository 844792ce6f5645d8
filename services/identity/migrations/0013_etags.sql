-- concurrently: each statement locks one table, for a moment, and none waits for the lock of another one meanwhile
-- Entity tags (service/0007_etags.sql). Records that exist have the same one until they are updated, because a constant is
-- added without writing each row: a tag is compared with those of the same record only.
alter table organizations add column if not exists etag text not null default '"0"';
alter table organizations alter column etag set default new_etag();
create or replace trigger organizations_etag before update on organizations for each row execute function change_etag();
alter table users add column if not exists etag text not null default '"0"';
alter table users alter column etag set default new_etag();
create or replace trigger users_etag before update on users for each row execute function change_etag();
alter table teams add column if not exists etag text not null default '"0"';
alter table teams alter column etag set default new_etag();
create or replace trigger teams_etag before update on teams for each row execute function change_etag();
alter table tokens add column if not exists etag text not null default '"0"';
alter table tokens alter column etag set default new_etag();
create or replace trigger tokens_etag before update on tokens for each row execute function change_etag();
alter table curricula add column if not exists etag text not null default '"0"';
alter table curricula alter column etag set default new_etag();
create or replace trigger curricula_etag before update on curricula for each row execute function change_etag();
alter table invitations add column if not exists etag text not null default '"0"';
alter table invitations alter column etag set default new_etag();
create or replace trigger invitations_etag before update on invitations for each row execute function change_etag();
