import { all, at, text } from "../json.ts";
import type { Connection } from "./policies.ts";
import { labelsAt, matches, ofKind, type Pod, titleOf, type World } from "./world.ts";

/** Returns the connections that no setting of ours names: of Prometheus, of proxies, and among servers. */
export function fromOthers(world: World): Connection[] {
  return [...scrapes(world), ...throughGateway(world), ...toServers(world)];
}

/** Returns the connections of Prometheus to what the monitors select, and to the pods that say so themselves. */
function scrapes({ objects, pods }: World): Connection[] {
  const from = pods.find(({ labels }) => labels["app.kubernetes.io/name"] === "prometheus");
  if (from === undefined) return [];
  const monitored = ofKind(objects, "ServiceMonitor").flatMap((monitor) => {
    const selector = labelsAt(monitor, "spec.selector.matchLabels");
    const services = ofKind(objects, "Service").filter((one) => matches(selector, labelsAt(one, "metadata.labels")));
    return services.flatMap((service) => {
      const port = String(at(service, "spec.ports.0.targetPort"));
      return pods
        .filter(({ labels }) => matches(labelsAt(service, "spec.selector"), labels))
        .map((to) => [to, port] as const);
    });
  });
  const annotated = objects.flatMap((object) => {
    const annotations = labelsAt(object, "spec.template.metadata.annotations");
    if (annotations["prometheus.io/scrape"] !== "true") return [];
    return pods
      .filter(({ owner }) => owner === titleOf(object))
      .flatMap((to) => portsWith(to, annotations["prometheus.io/port"]).map((port) => [to, port] as const));
  });
  return [...monitored, ...annotated].map(([to, port]) => ({ from, to, port, protocol: "TCP" as const }));
}

const portsWith = ({ ports }: Pod, number: string | undefined) =>
  Object.keys(ports).filter((name) => String(ports[name]) === number);

/** Returns the connections of the Gateway's proxies to what its routes lead to. */
function throughGateway({ objects, pods, services }: World): Connection[] {
  const proxies = pods.filter(({ namespace }) => namespace === "envoy-gateway-system");
  return ofKind(objects, "HTTPRoute").flatMap((route) =>
    all(route, "spec.rules.*.backendRefs.*").flatMap((backend) =>
      services
        .filter(({ name }) => name === text(backend, "name"))
        .flatMap(({ selector, ports }) =>
          ports.flatMap(({ target: port }) =>
            pods
              .filter(({ labels }) => matches(selector, labels))
              .flatMap((to) => proxies.map((from) => ({ from, to, port, protocol: "TCP" as const }))),
          ),
        ),
    ),
  );
}

/** Returns the connections to servers: of each other, of the operator of Postgres, of Prometheus. */
function toServers({ objects, pods }: World): Connection[] {
  const named = (name: string) => pods.filter(({ labels }) => labels["app.kubernetes.io/name"] === name);
  const into = (servers: readonly Pod[], callers: readonly Pod[], names: readonly string[]): Connection[] =>
    servers.flatMap((to) =>
      callers.flatMap((from) =>
        names.filter((port) => port in to.ports).map((port) => ({ from, to, port, protocol: "TCP" as const })),
      ),
    );
  const nats = named("nats");
  return [
    ...into(nats, nats, ["cluster"]),
    ...into(nats, named("prometheus"), ["metrics"]),
    ...ofKind(objects, "Cluster").flatMap((cluster) => {
      const servers = pods.filter(({ owner }) => owner === titleOf(cluster));
      const isMonitored = at(cluster, "spec.monitoring.enablePodMonitor") === true;
      return [
        ...into(servers, servers, ["postgresql", "status"]),
        ...into(servers, named("cloudnative-pg"), ["status"]),
        ...into(servers, isMonitored ? named("prometheus") : [], ["metrics"]),
      ];
    }),
  ];
}
