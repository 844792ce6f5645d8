export { z } from "zod";
export { ConfigError, readConfig } from "./read-config.ts";
export { host, logLevel, milliseconds, natsServers, port, replicas, secret, secretList, url } from "./settings.ts";
