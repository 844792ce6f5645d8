/**
 * `node test/jest/run-beside.ts <arguments of jest>`: as CI runs the tests. Files that fail beside others run again, alone,
 * and that decides; after 25 minutes what hangs is named, and fails.
 */
import { runBeside } from "./run-jest.ts";

const LIMIT_MS = 25 * 60_000;

process.exitCode = (await runBeside({ args: process.argv.slice(2), limitMs: LIMIT_MS })) ? 0 : 1;
