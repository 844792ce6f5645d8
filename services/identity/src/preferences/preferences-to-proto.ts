import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Preferences, PreferencesSchema } from "@cloud/proto/identity/v1/records_pb";
import type { PreferencesRow } from "../selections/preferences-sql.ts";

/** Converts a row to its API message; a field without a selection is an empty string. */
export function preferencesToProto(row: PreferencesRow): Preferences {
  return create(PreferencesSchema, {
    selectedOrganization: row.selected_organization ?? "",
    selectedWorkspace: row.selected_workspace ?? "",
    updatedAt: timestampToProto(row.updated_at),
  });
}
