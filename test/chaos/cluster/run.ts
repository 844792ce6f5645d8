/** `npm run test:cluster`: the runs in which members of clusters die. `--help` describes the options. */
import { runSuite } from "../../../packages/testkit/jest/run-suite.ts";

const HELP = `Kills members of real clusters and shows that its promises hold (docs/reliability.md). About 6 minutes.

  npm run test:cluster                          every run, with the figures of CI
  npm run test:cluster -- --only nats-members   runs whose file is named so; several with commas
  npm run test:cluster -- --long                more kills and more rounds
  npm run test:cluster -- --seed 42             with the chances of an earlier run, whose seed is in its output

Patroni, etcd, HAProxy and PgBouncer are Debian's: what this machine lacks is unpacked into .cache, without root.
Each run prints its figures as a line of JSON, and keeps it in reports/<run>.json and reports/cluster.jsonl.
Bounds in time are for a quiet machine. One that is up to four times slower has as much more time; on a slower one they
are listed at the end as not judged. reports/times.jsonl has the factor and the verdict of each.
`;

process.exitCode = await runSuite({ kind: "cluster", help: HELP });
