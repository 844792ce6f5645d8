export { type Admission, createAdmission, createAdmissionMetrics, type InFlightLimit } from "./admission.ts";
export {
  createSemaphore,
  createSemaphoreMetrics,
  type Release,
  type Semaphore,
  type SemaphoreLimits,
} from "./semaphore.ts";
export { limitUnsent, serveInTurn } from "./serve-in-turn.ts";
export {
  DEFAULT_LIMITS,
  HTTP1_TIMES,
  limitConnections,
  type ServerLimits,
  serverLimitSettings,
  serverLimits,
} from "./server-limits.ts";
