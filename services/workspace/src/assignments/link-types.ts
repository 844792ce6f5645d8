import type { Caller } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { type Id, type OrganizationId, orThrow } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Context } from "../context.ts";
import { designs as designItems, moveItem, views as viewItems } from "../library/sql.ts";
import { lockLiveReferenceForShare, type PeerResource } from "../links/reference-sql.ts";
import { deleteLinksOutside } from "../links/sql.ts";
import { reportDeletedLinks } from "../links/unlink.ts";
import type { ResourceType } from "../resource-type.ts";
import type { WorkspaceRow } from "../workspaces/sql.ts";
import {
  assertDesignAssignable,
  assertEnvironmentAssignable,
  assertTeamAssignable,
  assertViewAssignable,
} from "./rules.ts";

/** A kind of link. The four kinds differ in these fields; assigning and removing are the same for all. */
export interface LinkType {
  readonly name: ResourceType;
  /** The error for an unknown or deleted resource. */
  readonly notFound: Reason;
  /** The error for a resource that is not assigned. */
  readonly notAssigned: Reason;
  /**
   * Runs before the transaction: makes the remote look-ups, for example at the owner of the resource, and applies the
   * rules that need them.
   *
   * @throws `notFound`, or the error of a rule.
   */
  readonly check: (context: Context, resourceId: Id, workspace: WorkspaceRow, caller: Caller) => Promise<void>;
  /**
   * Runs in the transaction, after the lock of the workspace: locks the resource, or the local reference to it, so that
   * it cannot be deleted before `tx` ends; applies the rules for resources that this service owns.
   *
   * @throws `notFound` when it is deleted, or the error of a rule.
   */
  readonly lockResource: (tx: Tx, resourceId: Id, workspace: WorkspaceRow, caller: Caller) => Promise<void>;
}

/** Links to teams, which identity owns. */
export const teams = peerLinks({
  name: "team",
  notFound: Reason.TEAM_NOT_FOUND,
  notAssigned: Reason.TEAM_ASSIGNMENT_NOT_FOUND,
  lookUp: ({ peerRecords }, id) => peerRecords.team(id),
  assertAssignable: assertTeamAssignable,
});

/** Links to environments, which the environment service owns. */
export const environments = peerLinks({
  name: "environment",
  notFound: Reason.ENVIRONMENT_NOT_FOUND,
  notAssigned: Reason.ENVIRONMENT_ASSIGNMENT_NOT_FOUND,
  lookUp: ({ peerRecords }, id) => peerRecords.environment(id),
  assertAssignable: assertEnvironmentAssignable,
});

interface PeerLinks<Record> extends Pick<LinkType, "notFound" | "notAssigned"> {
  readonly name: PeerResource;
  /** Returns the live record from its owner; undefined if it is not live. */
  readonly lookUp: (context: Context, id: Id) => Promise<Record | undefined>;
  readonly assertAssignable: (record: Record, organizationId: OrganizationId) => void;
}

function peerLinks<Record>({ lookUp, assertAssignable, ...kind }: PeerLinks<Record>): LinkType {
  return {
    ...kind,
    check: async (context, id, workspace) => {
      assertAssignable(orThrow(await lookUp(context, id), kind.notFound), workspace.organization_id);
    },
    lockResource: async (tx, id) => {
      if (!(await lockLiveReferenceForShare(tx, kind.name, id))) throw fail(kind.notFound);
    },
  };
}

/** Links to designs, which this service owns. A design assigned to a workspace of another organization moves there. */
export const designs: LinkType = {
  name: "design",
  notFound: Reason.DESIGN_NOT_FOUND,
  notAssigned: Reason.DESIGN_ASSIGNMENT_NOT_FOUND,
  check: async (context, id, workspace, caller) => {
    // An owner may move a design only out of an organization that they are still a member of. The check may call
    // identity, so it holds no lock; only the owner or a service can move the design meanwhile.
    const design = await designItems.select(context.db, id);
    if (design?.owner === caller.userId && design.organization_id !== workspace.organization_id) {
      await caller.requireMembership(design.organization_id, Reason.DESIGN_NOT_FOUND);
    }
  },
  lockResource: async (tx, id, workspace, caller) => {
    const design = orThrow(await designItems.selectForUpdate(tx, id), Reason.DESIGN_NOT_FOUND);
    const organizationId = workspace.organization_id;
    assertDesignAssignable({ organizationId: design.organization_id, owner: design.owner }, organizationId, caller);
    if (design.organization_id !== organizationId) {
      await moveItem(tx, designItems, design.id, organizationId);
      const left = await deleteLinksOutside(tx, "design", design.id, organizationId);
      const how = { kind: "design", actor: caller.userId, reason: "moved" } as const;
      reportDeletedLinks(
        tx,
        left.map((link) => ({ ...link, ...how })),
      );
    }
  },
};

/** Links to views, which this service owns, and which stay in their organization. */
export const views: LinkType = {
  name: "view",
  notFound: Reason.VIEW_NOT_FOUND,
  notAssigned: Reason.VIEW_ASSIGNMENT_NOT_FOUND,
  check: async () => undefined,
  lockResource: async (tx, id, workspace) => {
    const view = orThrow(await viewItems.selectForShare(tx, id), Reason.VIEW_NOT_FOUND);
    assertViewAssignable({ organizationId: view.organization_id }, workspace.organization_id);
  },
};
