export { takeStablePort } from "@cloud/local-servers";
export { captureLog } from "./capture-log.ts";
export { type Authority, type Certificate, createAuthority } from "./certificates/create-authority.ts";
export { startTlsPostgres, type TlsPostgres } from "./certificates/start-tls-postgres.ts";
export { connectToNats } from "./connect-to-nats.ts";
export { createTestDatabase, type TestDatabase } from "./create-test-database.ts";
export { execute, maintain, within } from "./execute.ts";
export { type Duplicator, startDuplicator } from "./faults/duplicate-messages.ts";
export { type FaultProxy, startFaultProxy, type Target } from "./faults/fault-proxy.ts";
export { processTree, signalAll } from "./faults/process-tree.ts";
export { type RestartableNats, startRestartableNats } from "./faults/restartable-nats.ts";
export { type RestartablePostgres, startRestartablePostgres } from "./faults/restartable-postgres.ts";
export { type Bound, byControl, calibrate, calibrated, isInTime, judgeTime, timed } from "./judge-time.ts";
export { beginJudgements, printNotJudged } from "./judgements.ts";
export { type Latencies, latenciesOf } from "./latencies.ts";
export { measureUntil } from "./measure-until.ts";
export { openTestDatabase } from "./open-test-database.ts";
export { COMPILE_CACHE } from "./programs/compile-cache.ts";
export { type KillSchedule, killOnSchedule, type Victim } from "./programs/kill-on-schedule.ts";
export { type RemovedProtection, without } from "./programs/removed-protection.ts";
export { type Pgbouncer, type PgbouncerSettings, startPgbouncer } from "./programs/start-pgbouncer.ts";
export {
  createProgram,
  type LogLine,
  type Program,
  type ProgramOptions,
  startProgram,
} from "./programs/start-program.ts";
export { stopOnSchedule } from "./programs/stop-on-schedule.ts";
export { countEach } from "./races/count-each.ts";
export { type LinkOutcomes, raceLinks } from "./races/race-links.ts";
export { type Rewrite, rewriting } from "./races/rewriting.ts";
export { sideBySide } from "./races/side-by-side.ts";
export { startAfter } from "./races/start-after.ts";
export { type ListWatch, type Watched, watchLists } from "./races/watch-lists.ts";
export { createRandom, type Random } from "./random.ts";
export { type Moment, type RestorablePostgres, startRestorablePostgres } from "./restore/restorable-postgres.ts";
export { isLongRun, runFigures, runSeed } from "./run-figures.ts";
export { type Clients, startClients } from "./start-clients.ts";
export { type Load, type Sample, startLoad } from "./start-load.ts";
export { startTestNats, type TestNats } from "./start-test-nats.ts";
export { testFolder } from "./test-folder.ts";
export { currentTestRun, type TestRun } from "./test-run.ts";
export { beforeTestServersStop, startTestServers, stopTestServers } from "./test-servers.ts";
export { testTelemetry } from "./test-telemetry.ts";
export { waitFor } from "./wait-for.ts";
export { type Report, writeReport } from "./write-report.ts";
