export type { z } from "zod";
export {
  filePath,
  incomplete,
  peerTlsPaths,
  peerTlsSettings,
  serverTlsPaths,
  serverTlsSettings,
  type TlsPaths,
  withoutAbsent,
} from "./file-settings.ts";
export { postgresUrl } from "./postgres-url.ts";
export {
  ConfigError,
  corsOrigins,
  count,
  credentials,
  host,
  logLevel,
  milliseconds,
  natsServers,
  peerUrl,
  port,
  readConfig,
  replicas,
  secret,
  whole,
} from "./settings.ts";
