import type { RemovedProtection } from "@cloud/testkit";
import { runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { startSystem } from "../chaos/system/start-system.ts";
import { hostileControls } from "./controls.ts";
import { fuzzBytes } from "./rpc-fuzz/fuzz-bytes.ts";
import { fuzzRpc } from "./rpc-fuzz/fuzz-rpc.ts";
import { watchMemory } from "./wire/watch-memory.ts";

const CALLS = runFigures({ ci: 10_000, long: 100_000 });
const CONNECTIONS = runFigures({ ci: 300, long: 5_000 });
/** The most memory that a program may take above an idle one, in MiB. */
const MEMORY = 256;

async function fuzz(calls: number, removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const watch = watchMemory(system.programs);
  const fuzzed = await fuzzRpc(system, runSeed(), calls);
  const memory = watch.stop();
  const crashed = system.programs.filter((program) => program.crashes() > 0).map(({ name }) => name);
  return { ...fuzzed, memory, crashed };
}

test("random and mutated messages are refused as the caller's mistake, and the programs survive", async () => {
  const { faults, ...figures } = await fuzz(CALLS);
  writeReport({ what: "hostile-rpc-fuzz", promise: 2, ...figures, faults: Object.keys(faults).length });
  expect(faults).toEqual({});
  expect(figures.crashed).toEqual([]);
  for (const { before, peak } of Object.values(figures.memory)) expect(peak - before).toBeLessThanOrEqual(MEMORY);
}, 1_200_000);

test("control: a message that counts as a fault of the service is found", async () => {
  const { faults } = await fuzz(1000, hostileControls.undecodableMessages);
  writeReport({ what: "hostile-rpc-fuzz-control", promise: 2, faults: Object.keys(faults).length });
  expect(Object.keys(faults)).toContainEqual(expect.stringMatching(/: internal$/));
}, 120_000);

test("random bytes on every port hang and crash nothing", async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem();
  resources.defer(() => system.stop());
  const watch = watchMemory(system.programs);
  const stuck: Record<string, readonly string[]> = {};
  for (const { name, url } of system.programs) stuck[name] = (await fuzzBytes(url, runSeed(), CONNECTIONS)).stuck;
  const memory = watch.stop();
  const crashed = system.programs.filter((program) => program.crashes() > 0).map(({ name }) => name);
  writeReport({ what: "hostile-rpc-bytes", promise: 2, connections: CONNECTIONS, stuck, memory, crashed });
  expect(Object.values(stuck).flat()).toEqual([]);
  expect(crashed).toEqual([]);
  expect((await fetch(system.gateway.operatorUrl + "/readyz")).status).toBe(200);
}, 600_000);
