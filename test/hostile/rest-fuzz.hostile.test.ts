import type { RemovedProtection } from "@cloud/testkit";
import { runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { startSystem } from "../chaos/system/start-system.ts";
import { hostileControls } from "./controls.ts";
import { fuzzRest } from "./rest-fuzz/fuzz-rest.ts";
import { requireOperation } from "./rest-fuzz/operations.ts";
import { RAW_REQUESTS } from "./rest-fuzz/raw-requests.ts";
import { findInternals } from "./wire/internals.ts";
import { sendRaw } from "./wire/send-raw.ts";

const PER_OPERATION = runFigures({ ci: 100, long: 2000 });

async function fuzz(perOperation: number, removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const fuzzed = await fuzzRest(system, runSeed(), perOperation);
  const crashed = system.programs.filter((program) => program.crashes() > 0).map(({ name }) => name);
  return { ...fuzzed, crashed };
}

test("no request gets an answer that the document does not list, a fault, an internal, or none", async () => {
  const { faults, ...figures } = await fuzz(PER_OPERATION);
  writeReport({ what: "hostile-rest-fuzz", promise: 1, ...figures, faults: Object.keys(faults).length });
  expect(faults).toEqual({});
  expect(figures.crashed).toEqual([]);
}, 1_200_000);

test("control: texts outside the catalogue are found", async () => {
  const { faults } = await fuzz(10, hostileControls.catalogueTexts);
  writeReport({ what: "hostile-rest-fuzz-control", promise: 1, faults: Object.keys(faults).length });
  expect(Object.keys(faults)).toContainEqual(expect.stringContaining("a stack in"));
}, 120_000);

test("control: a path that breaks the handler is found", async () => {
  const { faults } = await fuzz(40, hostileControls.decodedPath);
  expect(Object.keys(faults)).toContainEqual(expect.stringContaining("a fault of the system: 500 INTERNAL"));
}, 120_000);

test("bytes that are no request are refused by 4xx or 505, without a word of internals", async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem();
  resources.defer(() => system.stop());
  const answers: Record<string, string> = {};
  const bodiless: string[] = [];
  for (const [what, bytes] of Object.entries(RAW_REQUESTS)) {
    const answer = await sendRaw(system.gateway.url, bytes);
    answers[what] = answer.split("\r\n", 1)[0] ?? "";
    if (answer !== "" && !/\r\n\r\n\{"error":".+","code":"[A-Z_]+","requestId":".+"\}$/.test(answer))
      bodiless.push(what);
    expect([what, findInternals(answer.replace(/^Date: .*$/im, ""))]).toEqual([what, []]);
  }
  writeReport({ what: "hostile-rest-bytes", promise: 1, answers });
  const odd = Object.entries(answers).filter(([, line]) => !/^(HTTP\/1\.1 (4\d\d|505) .*)?$/.test(line));
  expect(odd).toEqual([]);
  expect(bodiless).toEqual([]);
  const { codes } = requireOperation("GET", "/api/workspaces");
  const statuses = Object.values(answers).flatMap((line) => (line === "" ? [] : Number(line.split(" ")[1])));
  expect(statuses.filter((status) => !codes.has(status))).toEqual([]);
  expect(await sendRaw(system.gateway.url, "GET /api/docs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 200 /,
  );
}, 120_000);
