export type { z } from "zod";
export { corsOrigins } from "./cors-origins.ts";
export { type Credential, credentials } from "./credentials.ts";
export { filePath } from "./file-settings.ts";
export { postgresUrl } from "./postgres-url.ts";
export { ConfigError, readConfig } from "./read-config.ts";
export {
  count,
  host,
  httpUrl,
  inFlightLimit,
  logLevel,
  milliseconds,
  natsServers,
  peerUrl,
  port,
  replicas,
  secret,
  url,
  whole,
} from "./settings.ts";
export { peerTlsPaths, peerTlsSettings, serverTlsPaths, serverTlsSettings, type TlsPaths } from "./tls-settings.ts";
