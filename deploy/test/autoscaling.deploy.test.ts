import { readFileSync } from "node:fs";
import { createAdmissionMetrics } from "@cloud/runtime/limits";
import { testTelemetry } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { MAX_REPLICA_CONNECTIONS } from "../../packages/service/src/start-service.ts";
import { buildManifests } from "./build-manifests.ts";
import { all, type Json, text } from "./json.ts";
import { programs, root } from "./programs.ts";

test("the autoscalers name the metric of requests in flight that the programs have, and prometheus-adapter serves it", async () => {
  const telemetry = testTelemetry();
  createAdmissionMetrics(telemetry).follow("rpc", () => ({ inFlight: 1, limit: 2 }));
  const exposed = [...(await telemetry.metrics.metrics()).matchAll(/^(\w+)\{.*work="rpc".*\} 1$/gm)].map(
    ([, name]) => name,
  );
  const manifests = buildManifests(`${root}deploy/overlays/production`) as unknown as readonly Json[];
  const autoscalers = manifests.filter((object) => text(object, "kind") === "HorizontalPodAutoscaler");
  const named = autoscalers.map((object) => all(object, "spec.metrics.*.pods.metric.name"));
  expect(named).toEqual(programs.map(() => exposed));
  const adapter = parse(
    readFileSync(`${root}deploy/overlays/production/prometheus-adapter-values.yaml`, "utf8"),
  ) as Json;
  expect(all(adapter, "rules.custom.*.name.as")).toEqual(exposed);
  expect(all(adapter, "rules.custom.*.seriesQuery").map((query) => String(query).split("{")[0])).toEqual(exposed);
});

test("the runbooks have the connections that a replica opens, which the autoscalers' limits are compared with", () => {
  const page = (name: string) => readFileSync(`${root}docs/runbooks/${name}.md`, "utf8");
  expect(page("pool-exhausted")).toContain(`A replica opens ${MAX_REPLICA_CONNECTIONS} at most.`);
  const [without, rateLimits] = [MAX_REPLICA_CONNECTIONS - 1, "one more with rate limits"];
  expect(page("scaling")).toContain(`opens ${without} connections to Postgres at most, ${rateLimits}.`);
});
