-- concurrently: large tables are written meanwhile
-- The keys by which searches find records, as service/0009_search_text.sql has them: those of other letters than ASCII are new.
-- What an interrupted REINDEX has left is dropped first.
drop index concurrently if exists credentials_search_ccnew;
drop index concurrently if exists credentials_search_ccold;
reindex index concurrently credentials_search;
drop index concurrently if exists environments_search_ccnew;
drop index concurrently if exists environments_search_ccold;
reindex index concurrently environments_search;
drop index concurrently if exists connections_search_ccnew;
drop index concurrently if exists connections_search_ccold;
reindex index concurrently connections_search;
