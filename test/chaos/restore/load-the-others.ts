import { type Load, startLoad } from "@cloud/testkit/figures";
import type { RestResponse } from "../../e2e/rest.ts";
import type { Place } from "../places/create-place.ts";
import type { ServiceName } from "../system/start-system.ts";

const PER_SECOND = 20;

/**
 * Returns reads and writes that do not need the service. Without identity there are none: it authenticates every
 * request.
 */
export function loadTheOthers(
  { rest, organization, parts }: Place,
  without: Exclude<ServiceName, "identity">,
): Load<RestResponse> {
  const created = { organizationId: organization, name: "meanwhile" };
  const teams = [() => rest.get("/identity/teams?orgId=" + organization), () => rest.post("/identity/teams", created)];
  const environments = [
    () => rest.get("/environments?orgId=" + organization),
    () => rest.post("/environments", created),
    () => rest.post(`/environments/${parts.environment}/connections/${parts.connection}`),
  ];
  const workspaces = [
    () => rest.get("/workspaces?orgId=" + organization),
    () => rest.post("/workspaces", created),
    () => rest.post(`/workspaces/${parts.workspace}/designs/${parts.design}`),
  ];
  const requests = [...teams, ...(without === "environment" ? workspaces : environments)];
  return startLoad(PER_SECOND, (index) => (requests[index % requests.length] as (typeof requests)[number])());
}
