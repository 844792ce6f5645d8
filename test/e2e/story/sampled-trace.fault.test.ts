import { randomBytes } from "node:crypto";
import type { RemovedProtection } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { startSystem } from "../../chaos/system/start-system.ts";
import { restFor } from "../rest.ts";
import { startOtlpReceiver } from "./otlp-receiver.ts";
import { renderSpanTree } from "./span-tree.ts";

// The callers decide what is sampled: no program begins a trace by itself.

const BURST = 32;
const BURSTS = 10;

/** Plays bursts in which one request is sampled each; returns the trees, and the tree of one that is alone. */
async function playBursts(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const collector = await startOtlpReceiver();
  resources.defer(() => collector.stop());
  const system = await startSystem({
    removeAlso,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_TRACES_SAMPLER: "parentbased_always_off",
    },
  });
  resources.defer(() => system.stop());
  const { demo } = system;
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const { body: workspace } = await rest.post("/workspaces", { organizationId: demo.organizations[0]?.id });
  const get = async (traceparent?: string) => {
    const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
    expect((await rest.send(`/workspaces/${workspace.id}`, { method: "GET", headers })).status).toBe(200);
  };
  const traces: string[] = [];
  const sampled = async () => {
    const traceId = randomBytes(16).toString("hex");
    traces.push(traceId);
    await get(`00-${traceId}-${randomBytes(8).toString("hex")}-01`);
  };
  await get();
  await sampled();
  for (let burst = 0; burst < BURSTS; burst++) {
    await Promise.all(Array.from({ length: BURST }, (_, index) => (index === BURST / 2 ? sampled() : get())));
  }
  // All spans have arrived when each program has stopped: it sends what waits.
  for (const program of system.programs) await program.stop();
  const trees = traces.map((id) => renderSpanTree(collector.spans.filter(({ traceId }) => traceId === id)));
  return { alone: trees[0] ?? "", inBursts: trees.slice(1), others: collector.spans.length - countIn(trees) };
}

const countIn = (trees: readonly string[]) => trees.join("\n").split("\n").length;

test("a sampled request in a burst of others has the whole tree that it has alone", async () => {
  const { alone, inBursts, others } = await playBursts();
  expect(alone).toMatch(/^gateway server .*\n(.*\n)*.*identity server identity.v1.AuthService\/BatchAuthenticate\n/);
  expect(inBursts).toEqual(Array.from({ length: BURSTS }, () => alone));
  expect(others).toBe(0);
}, 90_000);

test("control: where what is shared belongs to no trace, parts are missing", async () => {
  const { alone, inBursts } = await playBursts([
    { marker: "whole-traces", instead: '  const { traceparent, tracestate } = { traceparent: "", tracestate: "" };' },
  ]);
  expect(inBursts.filter((tree) => tree !== alone)).not.toEqual([]);
}, 90_000);
