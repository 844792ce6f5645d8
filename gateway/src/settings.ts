import { corsOrigins, count, host, logLevel, peerTlsSettings, peerUrl, port, whole } from "@cloud/config";
import { serverLimitSettings } from "@cloud/program";
import { DEFAULT_MAX_WATCHES } from "./manners.ts";

/** The environment variables that the program reads. */
export const settings = {
  HOST: host().describe("the address to listen on"),
  PORT: port(8080).describe("the port for clients"),
  WORKSPACE_URL: peerUrl().describe("the workspace service"),
  ENVIRONMENT_URL: peerUrl().describe("the environment service"),
  IDENTITY_URL: peerUrl().describe("the identity service"),
  REQUEST_DEADLINE_MS: whole(100, 30_000)
    .default(10_000)
    .describe("milliseconds after which a request is answered with 504; a watch has no such limit"),
  CORS_ORIGINS: corsOrigins().describe("the origins of pages of others that may call; none without it"),
  MAX_WATCHES: count(DEFAULT_MAX_WATCHES).describe("watches of a replica at the same time; more are refused"),
  ...peerTlsSettings(),
  ...serverLimitSettings(),
  LOG_LEVEL: logLevel().describe("the least level of a line in the log"),
};
