export type { z } from "zod";
export {
  filePath,
  peerTlsPaths,
  peerTlsSettings,
  serverTlsPaths,
  serverTlsSettings,
  type TlsPaths,
} from "./file-settings.ts";
export { postgresUrl } from "./postgres-url.ts";
export {
  ConfigError,
  type Credential,
  corsOrigins,
  count,
  credentials,
  host,
  httpUrl,
  inFlightLimit,
  logLevel,
  milliseconds,
  natsServers,
  peerUrl,
  port,
  readConfig,
  replicas,
  secret,
  url,
  whole,
} from "./settings.ts";
