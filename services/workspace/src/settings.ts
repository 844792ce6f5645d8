import { count, peerUrl } from "@cloud/config";
import { serviceSettings } from "@cloud/service";
import { DEFAULT_WATCH_LIMITS } from "./watches/watch-hub.ts";

/** The environment variables that the program reads. */
export const settings = {
  ...serviceSettings(8081),
  IDENTITY_URL: peerUrl().describe("the identity service"),
  ENVIRONMENT_URL: peerUrl().describe("the environment service"),
  MAX_WATCHES: count(DEFAULT_WATCH_LIMITS.most).describe("watches of a replica at the same time; more are refused"),
  MAX_WATCHES_PER_USER: count(DEFAULT_WATCH_LIMITS.mostPerUser).describe("of them, of one user"),
};
