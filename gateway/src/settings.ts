import { host, logLevel, peerTlsSettings, port, url } from "@cloud/config";
import { serverLimitSettings } from "@cloud/program";
import * as z from "zod";
import { corsOrigins } from "./cors.ts";

/** The environment variables that the program reads. */
export const settings = {
  HOST: host(),
  PORT: port(8080),
  WORKSPACE_URL: url("http", "https"),
  ENVIRONMENT_URL: url("http", "https"),
  IDENTITY_URL: url("http", "https"),
  REQUEST_DEADLINE_MS: z.coerce.number().int().min(100).max(30_000).default(10_000),
  CORS_ORIGINS: corsOrigins(),
  ...peerTlsSettings(),
  ...serverLimitSettings(),
  LOG_LEVEL: logLevel(),
};
