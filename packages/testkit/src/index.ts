export { takeStablePort } from "@cloud/local-servers";
export {
  type Authority,
  type Certificate,
  createAuthority,
  startTlsPostgres,
  type TlsPostgres,
} from "./certificates.ts";
export { type Duplicator, startDuplicator } from "./faults/duplicate-messages.ts";
export { type FaultProxy, startFaultProxy, type Target } from "./faults/fault-proxy.ts";
export { type RestartableNats, startRestartableNats } from "./faults/restartable-nats.ts";
export { type RestartablePostgres, startRestartablePostgres } from "./faults/restartable-postgres.ts";
export {
  createRandom,
  isLongRun,
  type Latencies,
  latenciesOf,
  measureUntil,
  type Random,
  type Report,
  runFigures,
  runSeed,
  writeReport,
} from "./figures.ts";
export {
  type Bound,
  beginJudgements,
  byControl,
  calibrate,
  calibrated,
  isInTime,
  judgeTime,
  printNotJudged,
  timed,
} from "./judge-time.ts";
export {
  type KillSchedule,
  killOnSchedule,
  processTree,
  signalAll,
  stopOnSchedule,
  type Victim,
} from "./programs/kill-on-schedule.ts";
export { type Pgbouncer, type PgbouncerSettings, startPgbouncer } from "./programs/start-pgbouncer.ts";
export {
  createProgram,
  type LogLine,
  type Program,
  type ProgramOptions,
  type RemovedProtection,
  startProgram,
  without,
} from "./programs/start-program.ts";
export {
  countEach,
  type LinkOutcomes,
  type ListWatch,
  type Rewrite,
  raceLinks,
  rewriting,
  sideBySide,
  startAfter,
  type Watched,
  watchLists,
} from "./races.ts";
export { type Moment, type RestorablePostgres, startRestorablePostgres } from "./restorable-postgres.ts";
export { type Clients, type Load, type Sample, startClients, startLoad } from "./start-load.ts";
export { connectToNats, startTestNats, type TestNats } from "./start-test-nats.ts";
export { createTestDatabase, execute, maintain, openTestDatabase, type TestDatabase, within } from "./test-database.ts";
export {
  beforeTestServersStop,
  COMPILE_CACHE,
  currentTestRun,
  startTestServers,
  stopTestServers,
  type TestRun,
  testFolder,
} from "./test-servers.ts";
export { captureLog, testTelemetry, waitFor } from "./test-telemetry.ts";
