import TestSequencer from "@jest/test-sequencer";

/** The files that take longest, by the end of their path: 89 s and 56 s of a run in which the next took 31 s. */
const LONGEST = ["test/cases/cases.e2e.test.ts", "test/surfaces/surface-equality.e2e.test.ts"];

/**
 * Starts them first, so that no worker is idle while another one finishes them. Without the times of an earlier run, as
 * in CI, jest starts the largest files first, and the files of these two are small.
 */
// biome-ignore lint/style/noDefaultExport: jest takes a sequencer by its default export
export default class LongestFirst extends TestSequencer {
  async sort(tests) {
    const place = ({ path }) => {
      const index = LONGEST.findIndex((end) => path.endsWith(`/${end}`));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(tests)).toSorted((a, b) => place(a) - place(b));
  }
}
