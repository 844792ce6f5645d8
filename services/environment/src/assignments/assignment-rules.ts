import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";

/** A connection goes into an ordinary environment of its own organization. */
export function assertAssignable(
  environment: { organization_id: string; platform_provisioned: boolean },
  connection: { organization_id: string },
): void {
  if (environment.platform_provisioned || environment.organization_id !== connection.organization_id) {
    throw fail(Reason.CONNECTION_NOT_ASSIGNABLE);
  }
}

/** The connections of a platform-provisioned environment are the platform's own. */
export function assertDetachable(environment: { platform_provisioned: boolean }): void {
  if (environment.platform_provisioned) {
    throw fail(Reason.CONNECTION_NOT_DETACHABLE);
  }
}
