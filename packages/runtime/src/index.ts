export { causesOf, describeError, isTlsFault } from "./causes-of.ts";
export { type Address, closeGracefully, drainHttp1, listen, serveExpectations } from "./listen.ts";
export {
  atMostOncePerSecond,
  healthPage,
  type OperatorPage,
  type OperatorPages,
  type PageStream,
  type Readiness,
  startOperatorServer,
} from "./operator-server.ts";
export { programSettings } from "./program-settings.ts";
export { findRequestFault } from "./request-fault.ts";
export { type ProgramOptions, runProgram } from "./run-program.ts";
