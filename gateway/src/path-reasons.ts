import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Route } from "@cloud/transcoder";

/**
 * Returns the reason of a refusal as a route has it: an organization's id that is none is malformed in a body, and names
 * nothing in a path.
 */
export function reasonAt(route: Route | undefined, reason: Reason): Reason {
  if (reason !== Reason.ORGANIZATION_ID_INVALID) return reason;
  const isInPath = route?.variables.some(([field]) => field?.name === "organization_id");
  return isInPath === true ? Reason.ORGANIZATION_NOT_FOUND : reason;
}
