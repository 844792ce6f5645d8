-- What the next release of the workspace service might bring in a run: something new that the present one can live with.
alter table workspaces add column colour text check (char_length(colour) <= 255);
create index workspaces_by_colour on workspaces (organization_id, colour) where deleted_at is null;
