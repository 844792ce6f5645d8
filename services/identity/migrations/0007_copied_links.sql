-- Counts the links of large workspaces to live teams (service/0005_copied_links.sql).
create trigger teams_copied_links after update on teams referencing old table as old_rows new table as new_rows
  for each statement execute function count_copied_links();
