import { fileURLToPath } from "node:url";
import type { DescService } from "@bufbuild/protobuf";
import { createServiceTransport } from "@cloud/rpc";
import { createProgram, type Program, takeStablePort } from "@cloud/testkit";
import type { Random } from "@cloud/testkit/figures";
import { type Client, createClient } from "@connectrpc/connect";
import { type Rest, restFor } from "../../e2e/rest.ts";
import type { ServiceName, System } from "../system/start-system.ts";

/**
 * Clients for each replica separately. A client behind a load balancer keeps its one connection, and with it one
 * replica: such clients would not race between the two.
 */
export interface Replicas {
  /** The same RPC client for each replica, with the system's credential; a call picks any of them. */
  clients<Service extends DescService>(of: ServiceName, service: Service): (random: Random) => Client<Service>;
  /** Returns a REST client for a token at each gateway: the n-th uses the n-th replica of every service. */
  rest(token: string): readonly [Rest, Rest];
  readonly gateways: readonly Program[];
  close(): Promise<void>;
}

export async function reachReplicas(system: System): Promise<Replicas> {
  const transports = new Map<string, ReturnType<typeof createServiceTransport>>();
  const transportTo = (url: string) => {
    const known = transports.get(url) ?? createServiceTransport({ url, serviceToken: system.demo.serviceToken });
    transports.set(url, known);
    return known;
  };
  const gateways = await Promise.all([startGateway(system, 0), startGateway(system, 1)]);
  return {
    clients: (of, service) => {
      const all = system.services[of].map(({ url }) => createClient(service, transportTo(url)));
      return (random) => random.pick(all as [(typeof all)[0]]);
    },
    rest: (token) => [
      restFor({ ...system.demo, gateway: gateways[0].url }, token),
      restFor({ ...system.demo, gateway: gateways[1].url }, token),
    ],
    gateways,
    close: async () => {
      for (const transport of transports.values()) transport.close();
      await Promise.all(gateways.map((gateway) => gateway.close()));
    },
  };
}

const GATEWAY = fileURLToPath(new URL("../../../gateway/src/main.ts", import.meta.url));

async function startGateway({ services }: System, replica: number): Promise<Program> {
  const urlOf = (name: ServiceName) => services[name][replica]?.url ?? services[name][0].url;
  const gateway = createProgram({
    name: "gateway-" + replica,
    main: GATEWAY,
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: { IDENTITY_URL: urlOf("identity"), ENVIRONMENT_URL: urlOf("environment"), WORKSPACE_URL: urlOf("workspace") },
  });
  await gateway.start();
  return gateway;
}
