import { appendFileSync } from "node:fs";

/**
 * Appends what happens to each test file to the file NOTED_RESULTS, a JSON array per line, for run-jest.ts: a jest that
 * had to be killed prints no summary, and this tells which files it had not finished.
 */
// biome-ignore lint/style/noDefaultExport: jest takes a reporter by its default export
export default class NoteResults {
  onRunStart({ numTotalTestSuites }) {
    note("files", numTotalTestSuites);
  }

  onTestStart({ path }) {
    note("started", path);
  }

  onTestResult({ path }, { numFailingTests, testExecError, failureMessage }) {
    const passed = numFailingTests === 0 && !testExecError && !failureMessage;
    note(passed ? "passed" : "failed", path);
  }
}

function note(...line) {
  appendFileSync(process.env["NOTED_RESULTS"], JSON.stringify(line) + "\n");
}
