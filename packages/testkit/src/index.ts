export { createTestDatabase, type TestDatabase } from "./create-test-database.ts";
export { startTestNats, type TestNats } from "./start-test-nats.ts";
export { testFolder } from "./test-folder.ts";
export { currentTestRun, type TestRun } from "./test-run.ts";
export { testTelemetry } from "./test-telemetry.ts";
export { waitFor } from "./wait-for.ts";
