-- concurrently: large tables are written meanwhile
-- Under the name of the index that it replaces, by which programs recognize an address that is taken.
create unique index concurrently if not exists users_live_email_key on users (email_key(email)) where deleted_at is null;
drop index concurrently if exists users_live_email;
alter index users_live_email_key rename to users_live_email;
