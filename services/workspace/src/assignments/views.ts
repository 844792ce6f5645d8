import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";
import { views as viewItems } from "../library/library-kind.ts";
import { selectItemForShare } from "../library/library-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertViewAssignable } from "./assignment-rules.ts";

/** Views are owned here, and stay in their organization. */
export const views: AssignmentKind = {
  name: "view",
  assignPermission: Permission.ASSIGN_VIEWS_TO_WORKSPACE,
  removePermission: Permission.UNASSIGN_VIEWS_FROM_WORKSPACE,
  notFound: Reason.VIEW_NOT_FOUND,
  notAssigned: Reason.VIEW_ASSIGNMENT_NOT_FOUND,
  check: async () => undefined,
  claim: async (tx, id, workspace) => {
    const view = await selectItemForShare(tx, viewItems, id);
    if (view === undefined) {
      throw fail(Reason.VIEW_NOT_FOUND);
    }
    assertViewAssignable({ organizationId: view.organization_id }, workspace.organization_id);
  },
};
