/**
 * `npm test` and its siblings: `node packages/testkit/jest/run.ts <suite> [arguments of jest]`. `--help` describes
 * them.
 */
import { runJest } from "./run-jest.ts";
import { summary } from "./summary.ts";

interface Suite {
  /** Projects of jest.config.js. */
  readonly projects: readonly string[];
  readonly command: string;
  /** Options of jest. */
  readonly options?: readonly string[];
  /** The files that it has if none are named; all of the projects if absent. */
  readonly paths?: readonly string[];
  /** Variables for the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

const SUITES: Readonly<Record<string, Suite>> = {
  test: { projects: ["unit", "integration", "end to end"], command: "npm test" },
  // Some measure how long something takes, so each has the machine for itself.
  faults: { projects: ["faults"], command: "npm run test:faults", options: ["--maxWorkers=1"] },
  // The integration tests of the three services once more, each service behind a PgBouncer in transaction mode.
  pooled: {
    projects: ["integration"],
    command: "npm run test:pooled",
    paths: ["services/"],
    env: { THROUGH_PGBOUNCER: "1" },
  },
  browser: { projects: ["browser"], command: "npm run test:browser" },
  packed: { projects: ["packed"], command: "npm run test:packed" },
  images: { projects: ["images"], command: "npm run test:images" },
  deploy: { projects: ["deploy"], command: "npm run test:deploy" },
  long: { projects: ["long"], command: "npm run test:long" },
};
/** Longer than any file of these suites takes on a slow machine, except the files of `long`. */
const FILE_LIMIT_MS = 5 * 60_000;
const LONG_FILE_LIMIT_MS = 30 * 60_000;

const HELP = `Runs a suite of tests: ${Object.keys(SUITES).join(", ")} (CONTRIBUTING.md says what each shows).

  npm test                                every test of the suite
  npm test -- services/workspace          files whose path contains that
  npm test -- test/cases -t list-teams    tests whose name contains that
  npm test -- --watch                     any other option of jest

A file that runs for ${FILE_LIMIT_MS / 60_000} minutes is ended, and named.
`;

const [name = "", ...args] = process.argv.slice(2);
const suite = SUITES[name];
// The names of projects come last: jest takes what follows them for more of them.
if (args.includes("--help")) {
  process.stdout.write(HELP);
} else if (suite === undefined) {
  process.stderr.write(`no suite is named ${name}; there are ${Object.keys(SUITES).join(", ")}\n`);
  process.exitCode = 2;
} else {
  const fileLimitMs = name === "long" ? LONG_FILE_LIMIT_MS : FILE_LIMIT_MS;
  const wanted = args.length > 0 ? args : (suite.paths ?? []);
  const jestArgs = [...(suite.options ?? []), ...wanted, "--selectProjects", ...suite.projects];
  const { succeeded, files } = await runJest({ args: jestArgs, env: suite.env, fileLimitMs });
  process.stdout.write(
    summary(files, (file, test) =>
      [suite.command, "--", file, ...(test === undefined ? [] : ["-t", quote(test)])].join(" "),
    ),
  );
  process.exitCode = succeeded ? 0 : 1;
}

/** Quotes for a shell, with what has a meaning in a pattern escaped. */
function quote(test: string): string {
  return `'${test.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("'", "'\\''")}'`;
}
