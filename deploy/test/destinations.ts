import type { NetworkPolicy, Peer } from "./manifest-types.ts";

/**
 * Returns where the pods of a policy may connect to, sorted: `<port>/<protocol> <label>=<value>`, with `*\/` before the
 * label if any namespace counts. Throws when the policy leaves anything open.
 */
export function destinationsOf({ spec }: NetworkPolicy): string[] {
  const { policyTypes, egress } = spec;
  if (!policyTypes.includes("Egress") || egress === undefined)
    throw new Error("the policy limits nothing that goes out");
  const destinations = egress.flatMap(({ ports = [], to = [] }) => {
    if (ports.length === 0 || to.length === 0) throw new Error("the policy allows any destination, or any port of it");
    return to.flatMap((peer) => ports.map(({ port, protocol = "TCP" }) => `${port}/${protocol} ${nameOf(peer)}`));
  });
  return destinations.toSorted();
}

function nameOf({ namespaceSelector, podSelector }: Peer): string {
  const selected = Object.entries(podSelector?.matchLabels ?? {}).map(([label, value]) => `${label}=${value}`);
  if (selected.length !== 1) throw new Error("the policy does not select its destination by one label");
  return (namespaceSelector === undefined ? "" : "*/") + selected.join();
}
