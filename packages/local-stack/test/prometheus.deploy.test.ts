import { chmodSync } from "node:fs";
import { join } from "node:path";
import { processesOf, ROOT, trackStarts } from "@cloud/local-stack/npm-start";
import { testFolder, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";

const start = trackStarts();

interface Reply<Data> {
  readonly data: Data;
}

interface Target {
  readonly labels: { readonly job: string };
  readonly health: string;
}

interface Group {
  readonly rules: readonly { readonly name: string; readonly health: string; readonly state?: string }[];
}

test("npm start -- --prometheus starts it on all programs, with the alerts, and stops it", async () => {
  const folder = testFolder();
  // .ci/run unpacks the package there, for a machine that has none on its PATH.
  const path = `${join(ROOT, ".cache/debian/usr/bin")}:${process.env["PATH"]}`;
  const started = start(folder, { PATH: path }, "--prometheus", "--no-demo");
  await started.ready();
  const [, url] = /^ {2}Prometheus +(http:\S+)$/m.exec(started.output()) ?? [];
  const read = async <Data>(what: string) => (await (await fetch(`${url}/api/v1/${what}`)).json()) as Reply<Data>;

  const healthy = async () => {
    const { data } = await read<{ activeTargets: Target[] }>("targets");
    const up = data.activeTargets.filter(({ health }) => health === "up").map(({ labels }) => labels.job);
    return up.length === 4 ? up.sort() : undefined;
  };
  expect(await waitFor(healthy, { deadlineMs: 30_000 })).toEqual(["environment", "gateway", "identity", "workspace"]);
  const rules = async () => {
    const { data } = await read<{ groups: Group[] }>("rules");
    const all = data.groups.flatMap((group) => group.rules);
    return all.some(({ health }) => health === "unknown") ? undefined : all;
  };
  // The first evaluation of a group is up to its interval, 5 s, after the start.
  const all = await waitFor(rules, { deadlineMs: 30_000 });
  expect(all.filter(({ health }) => health !== "ok")).toEqual([]);
  expect(all.filter(({ state }) => state === "firing")).toEqual([]);

  started.child.kill("SIGINT");
  expect(await started.ended()).toBe(0);
  expect(started.errors()).toBe("");
  expect(processesOf(folder)).toEqual([]);
}, 90_000);

test("without Prometheus, npm start -- --prometheus reports so in one line and starts the rest", async () => {
  const folder = testFolder();
  chmodSync(folder, 0o711); // this PATH has no setpriv either, which root needs to run Postgres in a closed folder
  const started = start(folder, { PATH: "/nowhere", CACHE_FOLDER: testFolder() }, "--prometheus", "--no-demo");
  await started.ready();
  expect(
    started
      .output()
      .split("\n")
      .filter((line) => line.includes("Prometheus")),
  ).toEqual([
    "no Prometheus was found, so none is started: install one (Debian: apt-get install prometheus), or start without --prometheus",
  ]);
}, 60_000);
