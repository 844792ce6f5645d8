import { all, at, type Json, text } from "../json.ts";
import { labelsAt, matches, nameOf, ofKind, titleOf, type World } from "./world.ts";

/** Finds selectors that select nothing, and ports that what they select does not have. */
export function brokenSelectors(world: World): string[] {
  return [
    ...ofKind(world.objects, "Service").flatMap((service) => brokenPorts(world, service)),
    ...ofKind(world.objects, "PodDisruptionBudget").flatMap((budget) =>
      emptySelector(world, budget, "spec.selector.matchLabels"),
    ),
    ...ofKind(world.objects, "NetworkPolicy").flatMap((policy) =>
      emptySelector(world, policy, "spec.podSelector.matchLabels"),
    ),
    ...ofKind(world.objects, "Deployment", "StatefulSet").flatMap(ownSelector),
    ...ofKind(world.objects, "ServiceMonitor").flatMap((monitor) => brokenMonitor(world, monitor)),
  ];
}

function emptySelector({ pods }: World, object: Json, path: string): string[] {
  const selector = labelsAt(object, path);
  return pods.some(({ labels }) => matches(selector, labels)) ? [] : [`${titleOf(object)} selects no pod`];
}

function brokenPorts({ pods }: World, service: Json): string[] {
  const selected = pods.filter(({ labels }) => matches(labelsAt(service, "spec.selector"), labels));
  if (selected.length === 0) return [`${titleOf(service)} selects no pod`];
  return all(service, "spec.ports.*.targetPort").flatMap((port) =>
    selected
      .filter(({ ports }) => !(String(port) in ports) && !Object.values(ports).includes(Number(port)))
      .map(({ owner }) => `${titleOf(service)}: ${owner} has no port ${String(port)}`),
  );
}

/** A workload that does not select its own pods is refused by Kubernetes. */
function ownSelector(workload: Json): string[] {
  const selector = labelsAt(workload, "spec.selector.matchLabels");
  const isOwn = matches(selector, labelsAt(workload, "spec.template.metadata.labels"));
  return isOwn ? [] : [`${titleOf(workload)} does not select its own pods`];
}

function brokenMonitor({ objects }: World, monitor: Json): string[] {
  const selector = labelsAt(monitor, "spec.selector.matchLabels");
  const services = ofKind(objects, "Service").filter((one) => matches(selector, labelsAt(one, "metadata.labels")));
  if (services.length === 0) return [`${titleOf(monitor)} selects no Service`];
  return all(monitor, "spec.endpoints.*").flatMap((endpoint) =>
    services
      .filter((service) => !all(service, "spec.ports.*").some((port) => text(port, "name") === text(endpoint, "port")))
      .map((service) => `${titleOf(monitor)}: Service ${nameOf(service)} has no port ${String(at(endpoint, "port"))}`),
  );
}
