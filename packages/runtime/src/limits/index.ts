export { type Admission, createAdmission, createAdmissionMetrics, type InFlightLimit } from "./admission.ts";
export { limitUnsent, scheduleFairly } from "./schedule-fairly.ts";
export {
  createSemaphore,
  createSemaphoreMetrics,
  type Release,
  type Semaphore,
  type SemaphoreLimits,
} from "./semaphore.ts";
export {
  DEFAULT_LIMITS,
  HTTP1_TIMES,
  limitConnections,
  type ServerLimits,
  serverLimitSettings,
  serverLimits,
} from "./server-limits.ts";
