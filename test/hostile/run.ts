/** `npm run test:hostile`: the runs that attack the programs from outside. `--help` describes the options. */
import { runSuite } from "../../packages/testkit/jest/run-suite.ts";

const HELP = `Attacks the running programs and shows that their promises hold (docs/security.md). About 30 minutes.

  npm run test:hostile                          every run, with the figures of CI
  npm run test:hostile -- --only rest-fuzz      runs whose file is named so; several with commas
  npm run test:hostile -- --long                2,000 requests per operation, 100,000 frames, and more of other runs
  npm run test:hostile -- --seed 42             with the chances of an earlier run, whose seed is in its output

Each run prints its figures as a line of JSON, and keeps it in reports/<run>.json and reports/hostile.jsonl.
Bounds in time are for a quiet machine. One that is up to four times slower has as much more time; on a slower one they
are listed at the end as not judged. reports/times.jsonl has the factor and the verdict of each.
`;

process.exitCode = await runSuite({ kind: "hostile", help: HELP });
