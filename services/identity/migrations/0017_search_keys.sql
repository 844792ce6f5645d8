-- concurrently: large tables are written meanwhile
-- The keys by which searches find records, as service/0009_search_text.sql has them: those of other letters than ASCII are new.
-- What an interrupted REINDEX has left is dropped first.
drop index concurrently if exists teams_search_ccnew;
drop index concurrently if exists teams_search_ccold;
reindex index concurrently teams_search;
drop index concurrently if exists curricula_search_ccnew;
drop index concurrently if exists curricula_search_ccold;
reindex index concurrently curricula_search;
drop index concurrently if exists members_search_ccnew;
drop index concurrently if exists members_search_ccold;
reindex index concurrently members_search;
