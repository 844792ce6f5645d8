import { appendFileSync } from "node:fs";

/** Appends what happens to each test file to the file TEST_NOTES, a JSON object per line: test-notes.ts reads them. */
// biome-ignore lint/style/noDefaultExport: jest takes a reporter by its default export
export default class NoteResults {
  onTestFileStart({ path }) {
    note({ path, startedAt: Date.now() });
  }

  onTestFileResult({ path }, { testResults, testExecError, failureMessage }) {
    const failed = testResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
    const isBroken = failed.length === 0 && Boolean(testExecError ?? failureMessage);
    note({ path, endedAt: Date.now(), failed, isBroken });
  }
}

function note(line) {
  appendFileSync(process.env["TEST_NOTES"], JSON.stringify(line) + "\n");
}
