import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import type { Stack } from "./stack.ts";

export type DemoClients = ReturnType<typeof createDemoClients>;

/** On a busy machine programs that have just started answer late: no reason to give up a start. */
const DEADLINE_MS = 30_000;

/** Creates clients of the services' RPC ports that act for the system, with the operator's credential. */
export function createDemoClients({ services, serviceToken }: Pick<Stack, "services" | "serviceToken">) {
  const connect = (url: string) => createServiceTransport({ url, serviceToken, deadlineMs: DEADLINE_MS });
  const identity = connect(services.identity);
  const environment = connect(services.environment);
  const workspace = connect(services.workspace);
  return {
    users: createClient(UserService, identity),
    organizations: createClient(OrganizationService, identity),
    teams: createClient(TeamService, identity),
    tokens: createClient(TokenService, identity),
    curricula: createClient(CurriculumService, identity),
    environments: createClient(EnvironmentService, environment),
    connections: createClient(ConnectionService, environment),
    designs: createClient(DesignService, workspace),
    views: createClient(ViewService, workspace),
  };
}
