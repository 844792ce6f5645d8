export {
  type Admission,
  type AdmissionMetrics,
  createAdmission,
  createAdmissionMetrics,
  type InFlightLimit,
} from "./admission.ts";
export { closeGracefully, leaveHttp1 } from "./close-gracefully.ts";
export { type Address, type Listening, listen, serveExpectations } from "./listen.ts";
export {
  healthPage,
  type OperatorPage,
  type OperatorPages,
  type OperatorServer,
  type OperatorServerOptions,
  type PageStream,
  startOperatorServer,
} from "./operator-server.ts";
export { programSettings } from "./program-settings.ts";
export type { Readiness } from "./readiness.ts";
export { atMostOncePerSecond } from "./readiness.ts";
export { findRequestFault, type RequestFault } from "./request-fault.ts";
export { type ProgramOptions, type RunningProgram, runProgram } from "./run-program.ts";
export {
  createSemaphore,
  createSemaphoreMetrics,
  type Release,
  type Semaphore,
  type SemaphoreLimits,
} from "./semaphore.ts";
export { type LimitedResponses, limitUnsent, serveInTurn, type UnsentLimits } from "./serve-in-turn.ts";
export {
  DEFAULT_LIMITS,
  HTTP1_TIMES,
  limitConnections,
  type ServerLimits,
  serverLimitSettings,
  serverLimits,
} from "./server-limits.ts";
