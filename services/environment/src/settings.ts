import { peerUrl } from "@cloud/config";
import { serviceSettings } from "@cloud/service";

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8082),
  IDENTITY_URL: peerUrl().describe("the identity service"),
};
