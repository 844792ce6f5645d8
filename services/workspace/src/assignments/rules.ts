import { fail } from "@cloud/access/errors";
import type { OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

interface Resource {
  readonly organizationId: string;
}

/** Requires a team of the organization. @throws TEAM_IN_OTHER_ORGANIZATION. */
export function assertTeamAssignable(team: Resource, organizationId: OrganizationId): void {
  if (team.organizationId !== organizationId) {
    throw fail(Reason.TEAM_IN_OTHER_ORGANIZATION);
  }
}

/**
 * Requires an environment of the organization that the platform did not provision.
 *
 * @throws ENVIRONMENT_IN_OTHER_ORGANIZATION, ENVIRONMENT_NOT_ATTACHABLE.
 */
export function assertEnvironmentAssignable(
  environment: Resource & { readonly platformProvisioned: boolean },
  organizationId: OrganizationId,
): void {
  if (environment.organizationId !== organizationId) {
    throw fail(Reason.ENVIRONMENT_IN_OTHER_ORGANIZATION);
  }
  if (environment.platformProvisioned) {
    throw fail(Reason.ENVIRONMENT_NOT_ATTACHABLE);
  }
}

/**
 * Requires a design of the organization, unless its owner or a service assigns it, which moves it.
 *
 * @throws DESIGN_IN_OTHER_ORGANIZATION.
 */
export function assertDesignAssignable(
  design: Resource & { readonly owner: string },
  organizationId: OrganizationId,
  caller: { readonly type: "user" | "service"; readonly userId: string },
): void {
  const isOwn = caller.type === "service" || (caller.userId !== "" && design.owner === caller.userId);
  if (design.organizationId !== organizationId && !isOwn) {
    throw fail(Reason.DESIGN_IN_OTHER_ORGANIZATION);
  }
}

/** Requires a view of the organization. @throws VIEW_IN_OTHER_ORGANIZATION. */
export function assertViewAssignable(view: Resource, organizationId: OrganizationId): void {
  if (view.organizationId !== organizationId) {
    throw fail(Reason.VIEW_IN_OTHER_ORGANIZATION);
  }
}
