export {
  type Admission,
  type AdmissionMetrics,
  createAdmission,
  createAdmissionMetrics,
  type InFlightLimit,
} from "./admission/create-admission.ts";
export { atMostOncePerSecond } from "./at-most-once-per-second.ts";
export { closeGracefully } from "./close-gracefully.ts";
export { leaveHttp1 } from "./drain-http1.ts";
export { HTTP1_TIMES } from "./http1-times.ts";
export { limitConnections } from "./limit-connections.ts";
export { type LimitedResponses, limitUnsent, type UnsentLimits } from "./limit-unsent.ts";
export { type Address, type Listening, listen } from "./listen.ts";
export { healthPage, type OperatorPage, type OperatorPages, type PageStream } from "./operator-pages.ts";
export { type OperatorServer, type OperatorServerOptions, startOperatorServer } from "./operator-server.ts";
export { programSettings } from "./program-settings.ts";
export type { Readiness } from "./readiness.ts";
export { findRequestFault, type RequestFault } from "./request-fault.ts";
export { type ProgramOptions, type RunningProgram, runProgram } from "./run-program.ts";
export {
  createSemaphore,
  createSemaphoreMetrics,
  type Release,
  type Semaphore,
  type SemaphoreLimits,
} from "./semaphore.ts";
export { serveExpectations } from "./serve-expectations.ts";
export { serveInTurn } from "./serve-in-turn.ts";
export { DEFAULT_LIMITS, type ServerLimits, serverLimitSettings, serverLimits } from "./server-limits.ts";
