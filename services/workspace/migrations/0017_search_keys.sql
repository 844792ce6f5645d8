-- concurrently: large tables are written meanwhile
-- The keys by which searches find records, as service/0009_search_text.sql has them: those of other letters than ASCII are new.
-- What an interrupted REINDEX has left is dropped first.
drop index concurrently if exists workspaces_search_ccnew;
drop index concurrently if exists workspaces_search_ccold;
reindex index concurrently workspaces_search;
drop index concurrently if exists designs_search_ccnew;
drop index concurrently if exists designs_search_ccold;
reindex index concurrently designs_search;
drop index concurrently if exists views_search_ccnew;
drop index concurrently if exists views_search_ccold;
reindex index concurrently views_search;
