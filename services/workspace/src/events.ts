import type { Id, OrganizationId } from "@cloud/access/values";
import { effect, insertionOf } from "@cloud/events";
import type { Reader, Tx } from "@cloud/postgres";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { EnvironmentDeletedSchema } from "@cloud/proto/environment/v1/events_pb";
import {
  OrganizationCreatedSchema,
  OrganizationDeletedSchema,
  TeamDeletedSchema,
} from "@cloud/proto/identity/v1/events_pb";
import { WorkspaceDeletedSchema } from "@cloud/proto/workspace/v1/events_pb";
import {
  type DeletedOrganization,
  type DeletionBatch,
  deleteOrganizationInBatches,
  deletionBatchEffect,
  deletionEffect,
  type RecordAuthority,
} from "@cloud/service/references";
import { restoredWorkspaceActivity, workspaceActivity } from "./activity/describe-activity.ts";
import * as activities from "./activity/sql.ts";
import { appendActivities } from "./activity/sql.ts";
import { designs, views } from "./library/sql.ts";
import { linkDeletion, linkDeletionOfWorkspaces, selectLinksOfWorkspaces } from "./links/sql.ts";
import { unlinkResources } from "./links/unlink.ts";
import { provisionOrganization } from "./organizations/ensure-organizations.ts";
import { workspaceDeletion } from "./workspaces/sql.ts";

const items = [designs, views];

/** The effect that creates the `My Workspace` of a new organization. */
export const organizationCreated = effect(OrganizationCreatedSchema, async (tx, event) => {
  await provisionOrganization(tx, event.organizationId as OrganizationId, event.owner);
});

/** Returns the effect that deletes everything in an organization once identity has confirmed its deletion. */
export const organizationDeleted = (identity: RecordAuthority) =>
  deletionEffect(
    OrganizationDeletedSchema,
    { owner: identity, kind: RecordKind.ORGANIZATION, idOf: (event) => event.organizationId },
    async (db, { organizationId, actor }) => {
      const organization = { id: organizationId as OrganizationId, actor };
      await deleteOrganizationInBatches(db, organization, nextDeletion);
    },
  );

/** Returns the effect that unlinks environments from their workspaces once their owner has confirmed the deletions. */
export const environmentDeleted = (environment: RecordAuthority) =>
  deletionBatchEffect(
    EnvironmentDeletedSchema,
    { owner: environment, kind: RecordKind.ENVIRONMENT, idOf: (event) => event.environmentId },
    async (tx, events) => {
      const deleted = events.map(({ environmentId, actor }) => ({ id: environmentId as Id, actor }));
      await unlinkResources(tx, "environment", deleted);
    },
  );

/** Returns the effect that unlinks teams from their workspaces once identity has confirmed the deletions. */
export const teamDeleted = (identity: RecordAuthority) =>
  deletionBatchEffect(
    TeamDeletedSchema,
    { owner: identity, kind: RecordKind.TEAM, idOf: (event) => event.teamId },
    async (tx, events) => {
      const deleted = events.map(({ teamId, actor }) => ({ id: teamId as Id, actor }));
      await unlinkResources(tx, "team", deleted);
    },
  );

/**
 * Reads the next records of the organization to delete, at most `max` of a kind: the only exception to the minimum of
 * one workspace. A workspace is deleted once its links are; there may be more than `max` links.
 */
export async function nextDeletion(
  db: Reader,
  { id, actor }: DeletedOrganization,
  max: number,
): Promise<DeletionBatch> {
  const workspaces = await workspaceDeletion.selectNextOf(db, id, max);
  const links = await selectLinksOfWorkspaces(db, workspaces, max);
  if (links.length === max) return { hasMore: true, statements: [linkDeletion(links)] };
  const nextItems = await Promise.all(
    items.map(({ selectNextOf }) => (workspaces.length < max ? selectNextOf(db, id, max) : [])),
  );
  const deleted = workspaces.map((workspaceId) => ({ workspaceId, organizationId: id, actor }));
  const lines = workspaces.map((workspace) =>
    workspaceActivity("delete", { id: workspace, organization_id: id }, actor),
  );
  return {
    hasMore: [workspaces, ...nextItems].some(({ length }) => length === max),
    statements: [
      ...workspaceDeletion.lock(workspaces),
      linkDeletionOfWorkspaces(workspaces),
      ...workspaceDeletion.softDeleteWith(id, workspaces),
      ...activities.insertionOf(lines),
      ...insertionOf(WorkspaceDeletedSchema, deleted),
      ...items.flatMap(({ lock, softDeleteWith }, kind) => [
        ...lock(nextItems[kind] ?? []),
        ...softDeleteWith(id, nextItems[kind] ?? []),
      ]),
    ],
  };
}

/**
 * Restores the next workspaces, designs and views that were deleted with their organization, at most `max` of each;
 * returns whether there may be more. Links are not restored; the log of each workspace reports that.
 */
export async function restoreNextOfOrganization(tx: Tx, id: OrganizationId, max: number): Promise<boolean> {
  const workspaces = await workspaceDeletion.restoreNextOf(tx, id, max);
  appendActivities(tx, workspaces.map(restoredWorkspaceActivity));
  if (workspaces.length === max) return true;
  for (const { restoreNextOf } of items) {
    if ((await restoreNextOf(tx, id, max)).length === max) return true;
  }
  return false;
}
