import { all, at, isObject, type Json, text } from "../json.ts";
import { type Labels, labelsAt, matches, ofKind, type Pod, type World } from "./world.ts";

/** A connection that must be possible: to the port of a pod, by its name or number. */
export interface Connection {
  readonly from: Pod;
  readonly to: Pod;
  readonly port: string;
  readonly protocol: "TCP" | "UDP";
}

type Direction = "Ingress" | "Egress";

/** Returns the policies that refuse a connection: `egress of Deployment workspace`. */
export function refusedBy(world: World, connection: Connection): string[] {
  const { from, to } = connection;
  return [
    ...(isAllowed(world, "Egress", from, to, connection) ? [] : [`egress of ${from.owner}`]),
    ...(isAllowed(world, "Ingress", to, from, connection) ? [] : [`ingress of ${to.owner}`]),
  ];
}

/**
 * Returns a line for each other end that the policies of a pod allow and no connection needs. A rule that names no peer is
 * for clients outside of the cluster, and one that names addresses for servers there.
 */
export function neededByNone(world: World, pod: Pod, connections: readonly Connection[]): string[] {
  return (["Egress", "Ingress"] as const).flatMap((direction) => {
    const [near, far] = direction === "Egress" ? (["from", "to"] as const) : (["to", "from"] as const);
    const own = connections.filter((one) => one[near] === pod);
    return rulesOf(world, direction, pod).flatMap((rule) =>
      endsOf(rule)
        .filter(({ peer }) => !(direction === "Ingress" && peer === undefined) && at(peer, "ipBlock") === undefined)
        .filter(({ port, peer }) => !own.some((one) => isPort(port, one) && isPeer(peer, pod, one[far])))
        .map(({ port, peer }) => {
          const end = `${JSON.stringify(at(port ?? null, "port"))} of ${JSON.stringify(peer)}`;
          return `${pod.owner}: ${end} is needed by none, in its ${direction.toLowerCase()}`;
        }),
    );
  });
}

function isAllowed(world: World, direction: Direction, pod: Pod, other: Pod, connection: Connection): boolean {
  if (policiesOf(world, direction, pod).length === 0) return true;
  return rulesOf(world, direction, pod).some((rule) =>
    endsOf(rule).some(({ port, peer }) => isPort(port, connection) && isPeer(peer, pod, other)),
  );
}

function policiesOf({ objects }: World, direction: Direction, pod: Pod): Json[] {
  return ofKind(objects, "NetworkPolicy").filter(
    (policy) =>
      namespaceOf(policy) === pod.namespace &&
      all(policy, "spec.policyTypes.*").includes(direction) &&
      matches(labelsAt(policy, "spec.podSelector.matchLabels"), pod.labels),
  );
}

const namespaceOf = (policy: Json) => text(policy, "metadata.namespace") || "default";

function rulesOf(world: World, direction: Direction, pod: Pod): Json[] {
  return policiesOf(world, direction, pod).flatMap((policy) => all(policy, `spec.${direction.toLowerCase()}.*`));
}

/** The other ends of a rule: who, and the port. */
interface End {
  /** The port; any if undefined. */
  readonly port: Json | undefined;
  readonly peer: Json | undefined;
}

function endsOf(rule: Json): End[] {
  const ports = all(rule, "ports.*");
  const peers = [...all(rule, "to.*"), ...all(rule, "from.*")];
  const anyIfNone = (values: readonly Json[]): readonly (Json | undefined)[] =>
    values.length > 0 ? values : [undefined];
  return anyIfNone(peers).flatMap((peer) => anyIfNone(ports).map((port) => ({ port, peer })));
}

function isPort(rule: Json | undefined, { to, port, protocol }: Connection): boolean {
  if (rule === undefined) return true;
  const wanted = String(at(rule, "port"));
  const isSame = wanted === port || Number(wanted) === (to.ports[port] ?? Number(port));
  return isSame && (text(rule, "protocol") || "TCP") === protocol;
}

function isPeer(peer: Json | undefined, own: Pod, other: Pod): boolean {
  if (peer === undefined) return true;
  if (isObject(at(peer, "ipBlock"))) return true;
  const namespaces = at(peer, "namespaceSelector");
  const ofNamespace: Labels = { "kubernetes.io/metadata.name": other.namespace };
  const isInNamespace = isObject(namespaces)
    ? matches(labelsAt(namespaces, "matchLabels"), ofNamespace)
    : other.namespace === own.namespace;
  return isInNamespace && matches(labelsAt(peer, "podSelector.matchLabels"), other.labels);
}
