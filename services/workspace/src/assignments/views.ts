import { found } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { selectItemForShare } from "../library/item-sql.ts";
import { views as viewItems } from "../library/library-kind.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertViewAssignable } from "./assignment-rules.ts";

/** Views are owned by this service, and stay in their organization. */
export const views: AssignmentKind = {
  name: "view",
  notFound: Reason.VIEW_NOT_FOUND,
  notAssigned: Reason.VIEW_ASSIGNMENT_NOT_FOUND,
  check: async () => undefined,
  claim: async (tx, id, workspace) => {
    const view = found(await selectItemForShare(tx, viewItems, id), Reason.VIEW_NOT_FOUND);
    assertViewAssignable({ organizationId: view.organization_id }, workspace.organization_id);
  },
};
