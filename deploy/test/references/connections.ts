import { all, text } from "../json.ts";
import { fromOthers } from "./from-others.ts";
import { containersOf } from "./mounts.ts";
import type { Connection } from "./policies.ts";
import { variablesOf } from "./variables.ts";
import { labelsAt, matches, ofKind, type Pod, type World } from "./world.ts";

/** Connections that the settings need, and a line for each address that does not exist. */
export interface Connections {
  readonly needed: readonly Connection[];
  readonly problems: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "postgres:": 5432,
  "postgresql:": 5432,
  "nats:": 4222,
  "tls:": 4222,
  "http:": 80,
  "https:": 443,
};

/** Follows each URL in the variables of the pods, each name to its DNS, and each monitor to its pods. */
export function connectionsOf(world: World): Connections {
  const found = world.pods.flatMap((pod) => addressesOf(world, pod).map((url) => follow(world, pod, url)));
  const needed = [...found.flatMap((one) => one.needed), ...fromOthers(world)];
  const talkative = [...new Set(needed.map(({ from }) => from))];
  return {
    needed: [...needed, ...talkative.flatMap((pod) => toDns(world, pod))],
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** Returns the URLs of a pod's variables; a value from a Secret of the manifests is read, too. */
export function addressesOf(world: World, { spec }: Pod): URL[] {
  const containers = containersOf(spec);
  const values = containers.flatMap((container) => [
    ...variablesOf(world, container).values(),
    ...all(container, "env.*.valueFrom.secretKeyRef").map((ref) =>
      secretValue(world, text(ref, "name"), text(ref, "key")),
    ),
  ]);
  return values
    .flatMap((value) => (value ?? "").split(","))
    .filter((value) => /^\w+:\/\//.test(value))
    .map((value) => new URL(value));
}

function secretValue({ objects }: World, name: string, key: string): string {
  const secret = ofKind(objects, "Secret").find((one) => text(one, "metadata.name") === name);
  return Buffer.from(labelsAt(secret, "data")[key] ?? "", "base64").toString("utf8");
}

function follow({ services, pods }: World, from: Pod, url: URL): Connections {
  const address = `${url.hostname}:${url.port || String(DEFAULT_PORTS[url.protocol])}`;
  const service = services.find(({ name }) => name === url.hostname);
  if (service === undefined) return { needed: [], problems: [`${from.owner}: no Service ${url.hostname}`] };
  const port = service.ports.find(({ number }) => `${url.hostname}:${number}` === address);
  if (port === undefined) return { needed: [], problems: [`${from.owner}: no port ${address}`] };
  const targets = pods.filter(({ labels }) => matches(service.selector, labels));
  return { needed: targets.map((to) => ({ from, to, port: port.target, protocol: "TCP" as const })), problems: [] };
}

function toDns({ pods }: World, from: Pod): Connection[] {
  const servers = pods.filter(({ owner }) => owner === "DNS");
  return servers.flatMap((to) =>
    Object.keys(to.ports).flatMap((port) =>
      (["UDP", "TCP"] as const).map((protocol) => ({ from, to, port, protocol })),
    ),
  );
}
