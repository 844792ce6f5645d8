-- concurrently: each statement locks one table, for a moment, and none waits for the lock of another one meanwhile
-- Entity tags (service/0007_etags.sql). Records that exist have the same one until they are updated, because a constant is
-- added without writing each row: a tag is compared with those of the same record only.
alter table environments add column if not exists etag text not null default '"0"';
alter table environments alter column etag set default new_etag();
create or replace trigger environments_etag before update on environments for each row execute function change_etag();
alter table connections add column if not exists etag text not null default '"0"';
alter table connections alter column etag set default new_etag();
create or replace trigger connections_etag before update on connections for each row execute function change_etag();
alter table credentials add column if not exists etag text not null default '"0"';
alter table credentials alter column etag set default new_etag();
create or replace trigger credentials_etag before update on credentials for each row execute function change_etag();
