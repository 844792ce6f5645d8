export { takeStablePort } from "@cloud/local-servers";
export {
  createProgram,
  type LogLine,
  type Program,
  type RemovedProtection,
  startProgram,
  without,
} from "./start-program.ts";
export { connectToNats, startTestNats, type TestNats } from "./start-test-nats.ts";
export { createTestDatabase, execute, maintain, openTestDatabase, type TestDatabase, within } from "./test-database.ts";
export {
  beforeTestServersStop,
  COMPILE_CACHE,
  currentTestRun,
  startTestServers,
  stopTestServers,
  testFolder,
} from "./test-servers.ts";
export { captureLog, testTelemetry, waitFor } from "./test-telemetry.ts";
