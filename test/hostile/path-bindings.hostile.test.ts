import { fileURLToPath } from "node:url";
import { type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { runFigures, runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { hostileControls } from "./controls.ts";
import { findOverrides } from "./path-bindings/find-overrides.ts";
import { startRecorder } from "./path-bindings/start-recorder.ts";

const PER_ROUTE = runFigures({ ci: 100, long: 5_000 });
const GATEWAY = fileURLToPath(new URL("../../gateway/src/main.ts", import.meta.url));

/** The real gateway, in front of services that only keep the messages that it derives from requests. */
async function attack(perRoute: number, removed: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const recorder = await startRecorder();
  resources.defer(() => recorder.stop());
  const { env, preload } = without(removed);
  const { url } = recorder;
  const gateway = await startProgram({
    name: "gateway",
    main: GATEWAY,
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { WORKSPACE_URL: url, ENVIRONMENT_URL: url, IDENTITY_URL: url, LAME_DUCK_MS: "0", ...env },
    preload,
  });
  resources.defer(() => gateway.close());
  return await findOverrides(gateway, recorder, runSeed(), perRoute);
}

test("nothing that a request contains changes what its path binds", async () => {
  const { overrides, ...figures } = await attack(PER_ROUTE);
  writeReport({ what: "hostile-path-bindings", promise: 4, ...figures, overrides: overrides.length });
  expect(overrides).toEqual([]);
  expect(figures.reached).toBeGreaterThan(figures.trials / 4);
}, 600_000);

test("control: a query that is bound last changes it", async () => {
  const { overrides, ...figures } = await attack(20, hostileControls.pathLast);
  writeReport({ what: "hostile-path-bindings-control", promise: 4, ...figures, overrides: overrides.length });
  expect(overrides.length).toBeGreaterThan(0);
}, 120_000);
