export type { RunningService, ServiceConfig } from "./service-config.ts";
export { type ServiceParts, startService, type Wiring } from "./start-service.ts";
