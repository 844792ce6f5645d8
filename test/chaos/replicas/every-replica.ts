import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createHttpClient, keptConnection } from "../system/http-client.ts";
import { SERVICES, type ServiceName, type System } from "../system/start-system.ts";

/** The reply of one endpoint of the system to a request, with its times. */
export interface AccessReply {
  readonly way: string;
  readonly access: "allowed" | "refused" | "failed";
  readonly at: number;
}

type SendRequest = (token: string) => Promise<AccessReply["access"]>;

/**
 * Returns clients for every replica of every service over gRPC, and for every gateway; each lists records of `orgId`.
 */
export function everyReplica(
  system: System,
  orgId: string,
): { send(token: string): Promise<AccessReply[]>; close(): void } {
  const direct = SERVICES.flatMap((name) => system.services[name].map((program) => ({ name, url: program.url })));
  const transports = direct.map(({ url }) => createServiceTransport({ url }));
  const replicas = direct.map(({ name }, at): readonly [string, SendRequest] => {
    const transport = transports[at] as (typeof transports)[number];
    const list = listOf[name](transport, orgId);
    return [name, async (token) => await list(token).then(() => "allowed" as const, accessOf)];
  });
  let turn = 0;
  const gateways = system.gateways.map(({ url }): readonly [string, SendRequest] => {
    const connection = keptConnection();
    const send = async (token: string) => {
      const path = PATHS[turn++ % PATHS.length] + "?orgId=" + orgId;
      const { status } = await createHttpClient(url + "/api", token, connection)("GET", path);
      if (status === 200) return "allowed" as const;
      return status === 401 || status === 403 ? "refused" : "failed";
    };
    return ["gateway", send];
  });
  const ways = [...replicas, ...gateways];
  return {
    send: (token) =>
      Promise.all(ways.map(async ([way, send]) => ({ way, access: await send(token), at: performance.now() }))),
    close: () => transports.forEach((transport) => void transport.close()),
  };
}

/** The paths to request in turn. */
const PATHS = ["/workspaces", "/environments", "/identity/teams"];

type Transport = ReturnType<typeof createServiceTransport>;

const headersOf = (token: string) => ({ headers: { authorization: "Bearer " + token } });

const listOf: Record<ServiceName, (transport: Transport, orgId: string) => (token: string) => Promise<unknown>> = {
  identity: (transport, orgId) => {
    const client = createClient(TeamService, transport);
    return (token) => client.listTeams({ orgId }, headersOf(token));
  },
  environment: (transport, orgId) => {
    const client = createClient(EnvironmentService, transport);
    return (token) => client.listEnvironments({ orgId }, headersOf(token));
  },
  workspace: (transport, orgId) => {
    const client = createClient(WorkspaceService, transport);
    return (token) => client.listWorkspaces({ orgId }, headersOf(token));
  },
};

function accessOf(error: unknown): "refused" | "failed" {
  const { code } = ConnectError.from(error);
  return code === Code.Unauthenticated || code === Code.PermissionDenied ? "refused" : "failed";
}
