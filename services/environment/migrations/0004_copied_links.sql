-- Counts the links of large workspaces to live environments (service/0005_copied_links.sql).
create trigger environments_copied_links after update on environments referencing old table as old_rows new table as new_rows
  for each statement execute function count_copied_links();
