-- A migration that the next release of the workspace service might bring, and that the present release can live with.
alter table workspaces add column colour text check (char_length(colour) <= 255);
