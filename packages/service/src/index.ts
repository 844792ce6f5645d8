export { bindHandlers, bindStreams, type CallContext, type StreamContext } from "./bind-handlers.ts";
export { type CommitSignals, commitSubject, noCommitSignals } from "./commit-signals.ts";
export { createOnce } from "./create-once.ts";
export { directSettings, directUrlOf } from "./database.ts";
export { DEFAULT_HEAVY_READS } from "./heavy-reads.ts";
export type { Outcome, Output } from "./operator/place.ts";
export { Usage } from "./operator/read-command.ts";
export { runOperator } from "./operator/run-operator.ts";
export { runService } from "./run-service.ts";
export {
  migrationsOf,
  type RunningService,
  rightsOf,
  type ServiceConfig,
  type ServiceDefinition,
  type ServiceSchema,
} from "./service-config.ts";
export { serviceConfig, serviceSettings } from "./service-settings.ts";
export { startService } from "./start-service.ts";
