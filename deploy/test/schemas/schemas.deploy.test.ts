import { installPackages } from "@cloud/testkit/packages";
import { beforeAll, expect, test } from "@jest/globals";
import { buildManifests, type Manifest } from "../build-manifests.ts";
import type { Json } from "../json.ts";
import { root } from "../programs.ts";
import { withChange } from "../with-change.ts";
import { findInvalid } from "./find-invalid.ts";

let installed: string;
let production: readonly Manifest[];
beforeAll(async () => {
  production = buildManifests(`${root}deploy/overlays/production`);
  installed = await installPackages(new URL("packages/", import.meta.url));
}, 120_000);

const TITLE =
  "every object of %s is valid by the schemas of Kubernetes and of the CRDs, and has no field that they lack";
test.each(["local", "production"])(TITLE, async (overlay) => {
  expect(await findInvalid(installed, buildManifests(`${root}deploy/overlays/${overlay}`))).toEqual([]);
});

test.each<[string, string, Json | undefined, string]>([
  ["Deployment workspace", "spec.template.spec.containers.0.ports.0.containerPort", "8081", "must be integer"],
  ["Deployment workspace", "spec.template.spec.containers.0.readinesProbe", {}, "is not a field"],
  ["Deployment workspace", "spec.selector", undefined, "must have required property selector"],
  ["HorizontalPodAutoscaler gateway", "spec.metrics.0.resource.target.averageUtilization", "70%", "must be integer"],
  ["NetworkPolicy workspace", "spec.egres", [], "is not a field"],
  ["Certificate workspace", "spec.usages.0", "serving", "must be equal to one of the allowed values"],
  ["HTTPRoute gateway", "spec.rules.0.timeouts.request", "none", "must match pattern"],
  ["ServiceMonitor workspace", "spec.endpoints.0.intervall", "15s", "is not a field"],
  ["Cluster workspace-postgres", "spec.instances", "three", "must be number"],
  ["Cluster workspace-postgres", "spec.bootstrap.initdb.postInitSql", [], "is not a field"],
  ["ScheduledBackup workspace-postgres", "spec.method", "snapshot", "must be equal to one of the allowed values"],
])("control: %s with %s = %j is refused", async (title, path, value, reason) => {
  const kept = new Set(production);
  const found = await findInvalid(
    installed,
    withChange(production, title, path, value).filter((one) => !kept.has(one)),
  );
  expect(found).not.toEqual([]);
  expect(found.filter((line) => line.startsWith(title) && line.includes(reason))).not.toEqual([]);
});
