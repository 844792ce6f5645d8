export { type Authority, createAuthority, startTlsPostgres, type TlsPostgres } from "./certificates.ts";
export { startDuplicator } from "./duplicate-messages.ts";
export { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
export { killOnSchedule, processTree, signalAll, stopOnSchedule, type Victim } from "./kill-on-schedule.ts";
export { type RestartableNats, startRestartableNats } from "./restartable-nats.ts";
export { type RestartablePostgres, startRestartablePostgres } from "./restartable-postgres.ts";
export { type RestorablePostgres, startRestorablePostgres } from "./restorable-postgres.ts";
export { type Pgbouncer, type PgbouncerSettings, startPgbouncer } from "./start-pgbouncer.ts";
