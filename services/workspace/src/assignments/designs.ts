import { found } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { moveItem, selectItem, selectItemForUpdate } from "../library/item-sql.ts";
import { designs as designItems } from "../library/library-kind.ts";
import { deleteLinksOutside } from "../links/assignment-sql.ts";
import { reportDeletedLinks } from "../links/report-deleted-links.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertDesignAssignable } from "./assignment-rules.ts";

/** Designs are owned by this service. One that is assigned to a workspace of another organization moves there. */
export const designs: AssignmentKind = {
  name: "design",
  notFound: Reason.DESIGN_NOT_FOUND,
  notAssigned: Reason.DESIGN_ASSIGNMENT_NOT_FOUND,
  check: async (context, id, workspace, caller) => {
    // An owner may move a design only out of an organization of which they are still a member. The check may call
    // identity, so it holds no lock; only the owner or a service can move the design meanwhile.
    const design = await selectItem(context.db, designItems, id);
    if (design?.owner === caller.userId && design.organization_id !== workspace.organization_id) {
      await caller.requireMembership(design.organization_id, Reason.DESIGN_NOT_FOUND);
    }
  },
  claim: async (tx, id, workspace, caller) => {
    const design = found(await selectItemForUpdate(tx, designItems, id), Reason.DESIGN_NOT_FOUND);
    const organizationId = workspace.organization_id;
    assertDesignAssignable({ organizationId: design.organization_id, owner: design.owner }, organizationId, caller);
    if (design.organization_id !== organizationId) {
      await moveItem(tx, designItems, design.id, organizationId);
      const left = await deleteLinksOutside(tx, "design", design.id, organizationId);
      const how = { kind: "design", actor: caller.userId, reason: "moved" } as const;
      await reportDeletedLinks(
        tx,
        left.map((link) => ({ ...link, ...how })),
      );
    }
  },
};
