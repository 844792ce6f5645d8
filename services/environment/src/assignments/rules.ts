import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** Refuses a platform-provisioned environment, whatever the connection. @throws CONNECTION_NOT_ASSIGNABLE. */
export function assertOrdinary(environment: { platform_provisioned: boolean }): void {
  if (environment.platform_provisioned) {
    throw fail(Reason.CONNECTION_NOT_ASSIGNABLE);
  }
}

/** Requires an ordinary environment of the connection's own organization. @throws CONNECTION_NOT_ASSIGNABLE. */
export function assertAssignable(
  environment: { organization_id: string; platform_provisioned: boolean },
  connection: { organization_id: string },
): void {
  assertOrdinary(environment);
  if (environment.organization_id !== connection.organization_id) {
    throw fail(Reason.CONNECTION_NOT_ASSIGNABLE);
  }
}

/** Refuses a platform-provisioned environment: the platform owns its links. @throws CONNECTION_NOT_DETACHABLE. */
export function assertDetachable(environment: { platform_provisioned: boolean }): void {
  if (environment.platform_provisioned) {
    throw fail(Reason.CONNECTION_NOT_DETACHABLE);
  }
}
