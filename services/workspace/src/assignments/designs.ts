import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";
import { designs as designItems } from "../library/library-kind.ts";
import { moveItem, selectItemForUpdate } from "../library/library-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertDesignAssignable } from "./assignment-rules.ts";
import { deleteLinksOutside } from "./assignment-sql.ts";
import { tellEndedLinks } from "./tell-ended-links.ts";

/** Designs are owned here. One that is assigned to a workspace of another organization moves there. */
export const designs: AssignmentKind = {
  name: "design",
  assignPermission: Permission.ASSIGN_DESIGNS_TO_WORKSPACES,
  removePermission: Permission.REMOVE_DESIGNS_FROM_WORKSPACES,
  notFound: Reason.DESIGN_NOT_FOUND,
  notAssigned: Reason.DESIGN_ASSIGNMENT_NOT_FOUND,
  check: async () => undefined,
  claim: async (tx, id, workspace, caller) => {
    const design = await selectItemForUpdate(tx, designItems, id);
    if (design === undefined) {
      throw fail(Reason.DESIGN_NOT_FOUND);
    }
    const organizationId = workspace.organization_id;
    assertDesignAssignable({ organizationId: design.organization_id, owner: design.owner }, organizationId, caller);
    if (design.organization_id !== organizationId) {
      await moveItem(tx, designItems, design.id, organizationId);
      const left = await deleteLinksOutside(tx, "design", design.id, organizationId);
      await tellEndedLinks(tx, left, "design", design.id, caller.userId, "moved");
    }
  },
};
