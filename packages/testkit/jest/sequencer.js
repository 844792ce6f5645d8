import TestSequencer from "@jest/test-sequencer";

/** The file that takes longest, by the end of its path: 57 s of a run in which the next took 25 s. */
const LONGEST = "/test/cases/cases.e2e.test.ts";

/**
 * Starts it first, so that no worker is idle while another one finishes it. Without the times of an earlier run, as in CI,
 * jest starts the largest files first, and this one is small.
 */
// biome-ignore lint/style/noDefaultExport: jest takes a sequencer by its default export
export default class LongestFirst extends TestSequencer {
  async sort(tests) {
    const place = ({ path }) => (path.endsWith(LONGEST) ? 0 : 1);
    return (await super.sort(tests)).toSorted((a, b) => place(a) - place(b));
  }
}
