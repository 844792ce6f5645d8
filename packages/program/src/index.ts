export {
  type Admission,
  type AdmissionMetrics,
  createAdmission,
  createAdmissionMetrics,
  type InFlightLimit,
} from "./admission.ts";
export { type Address, closeGracefully, type Listening, leaveHttp1, listen, serveExpectations } from "./listen.ts";
export {
  atMostOncePerSecond,
  healthPage,
  type OperatorPage,
  type OperatorPages,
  type OperatorServer,
  type OperatorServerOptions,
  type PageStream,
  type Readiness,
  startOperatorServer,
} from "./operator-server.ts";
export { programSettings } from "./program-settings.ts";
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
