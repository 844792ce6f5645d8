import { waitFor } from "@cloud/testkit";
import type { FaultProxy } from "@cloud/testkit/faults";
import { restClients } from "../../e2e/rest.ts";
import { SERVICES, type System } from "../system/start-system.ts";
import type { FaultyPart, SendRequest } from "./faulty-part.ts";

const SLOW_BY_MS = 500;

const blackHole = (proxies: readonly FaultProxy[]) => () => {
  for (const proxy of proxies) proxy.blackHole();
  return () => proxies.forEach((proxy) => void proxy.heal());
};
const slow = (proxies: readonly FaultProxy[]) => () => {
  for (const proxy of proxies) proxy.delay(SLOW_BY_MS);
  return () => proxies.forEach((proxy) => void proxy.heal());
};

/** Requests that need neither the environment service nor NATS: reads and a write. */
export function healthyRequests({ demo }: System): readonly SendRequest[] {
  const { orgAdmin } = restClients(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  return [
    () => orgAdmin.get("/identity/users/profile"),
    () => orgAdmin.get("/workspaces?orgId=" + organizationId),
    () => orgAdmin.get("/identity/teams/" + demo.teams.first[0]),
    () => orgAdmin.post("/workspaces", { organizationId }),
  ];
}

/** Requests that need the environment service and its Postgres, the second also as a peer of the workspace service. */
export async function environmentRequests({ demo }: System): Promise<readonly SendRequest[]> {
  const { orgAdmin } = restClients(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const { body } = await orgAdmin.post("/workspaces", { organizationId });
  return [
    () => orgAdmin.get("/environments/" + demo.environments.ordinary),
    () => orgAdmin.get("/workspaces/" + body.id + "/environments"),
    () => orgAdmin.post("/environments", { organizationId }),
  ];
}

/** Waits until every service has lost its connection to NATS again. */
function natsNoticed({ services }: System): () => Promise<unknown> {
  const LOST = "the connection to NATS was lost";
  const losses = () => SERVICES.map((name) => services[name][0].log().filter(({ msg }) => msg === LOST).length);
  return () => {
    const before = losses();
    const lostAll = () => losses().every((count, index) => count > (before[index] ?? 0)) || undefined;
    return waitFor(lostAll, { deadlineMs: 20_000 });
  };
}

/**
 * Returns the faulty parts: Postgres of a service, that service for its peers, and NATS for all, each silent and each
 * slow.
 */
export async function faultyParts(system: System): Promise<readonly FaultyPart[]> {
  const { postgres, nats, peers } = system.proxies;
  const requests = await environmentRequests(system);
  const needed = { Postgres: [postgres.environment], "a peer": [peers.environment] };
  const all = Object.values(nats);
  return [
    ...Object.entries(needed).flatMap(([name, proxies]) => [
      { name: `${name} black-holed`, begin: blackHole(proxies), lastsMs: 5000, requests, allowed: [503, 504] },
      { name: `${name} slow`, begin: slow(proxies), lastsMs: 4500, requests, allowed: [200, 201, 503, 504] },
    ]),
    // No request needs NATS, so all succeed as usual.
    {
      name: "NATS black-holed",
      begin: blackHole(all),
      lastsMs: 5000,
      requests,
      allowed: [200, 201],
      noticed: natsNoticed(system),
    },
    { name: "NATS slow", begin: slow(all), lastsMs: 4500, requests, allowed: [200, 201] },
  ];
}
