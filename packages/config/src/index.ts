export { z } from "zod";
export { ConfigError, readConfig } from "./read-config.ts";
export { port, secret, secretList, url } from "./settings.ts";
