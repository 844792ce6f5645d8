import { count, peerUrl } from "@cloud/config";
import { serviceSettings } from "@cloud/service";
import { MAX_PENDING_INVITATIONS } from "./invitations/invitation-rules.ts";

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8083),
  WORKSPACE_URL: peerUrl().describe("the workspace service"),
  MAX_PENDING_INVITATIONS: count(MAX_PENDING_INVITATIONS).describe(
    "invitations of one organization that wait; more are refused",
  ),
};
