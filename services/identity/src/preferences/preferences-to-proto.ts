import { create } from "@bufbuild/protobuf";
import { type Preferences, PreferencesSchema } from "@cloud/proto/identity/v1/records_pb";
import { timestampToProto } from "@cloud/rpc";
import type { PreferencesRow } from "./preferences-sql.ts";

/** A row as the API tells it: empty strings where nothing is selected. */
export function preferencesToProto(row: PreferencesRow): Preferences {
  return create(PreferencesSchema, {
    selectedOrganization: row.selected_organization ?? "",
    selectedWorkspace: row.selected_workspace ?? "",
    updatedAt: timestampToProto(row.updated_at),
  });
}
