/** `npm run test:chaos`: the runs that break things on purpose. `--help` describes the options. */
import { runSuite } from "../../packages/testkit/jest/run-suite.ts";

const HELP = `Breaks the system on purpose and shows that its promises hold (docs/reliability.md). About 40 minutes.

  npm run test:chaos                        every run, with the figures of CI
  npm run test:chaos -- --only kills        runs whose file is named so; several with commas
  npm run test:chaos -- --only races        all races, or races/last-workspace: one
  npm run test:chaos -- --long              20,000 mutations and 400 kills, and more of other runs
  npm run test:chaos -- --seed 42           with the chances of an earlier run, whose seed is in its output

Each run prints its figures as a line of JSON, and keeps it in reports/<run>.json and reports/chaos.jsonl.
Bounds in time are for a quiet machine. One that is up to four times slower has as much more time; on a slower one they
are listed at the end as not judged. reports/times.jsonl has the factor and the verdict of each.
`;

process.exitCode = await runSuite({ kind: "chaos", help: HELP });
