import { create, toBinary } from "@bufbuild/protobuf";
import { reasonOf } from "@cloud/access/errors";
import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { Health, HealthCheckRequestSchema } from "@cloud/proto/grpc/health/v1/health_pb";
import { AuditService } from "@cloud/proto/identity/v1/audit_service_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { ServiceTransport } from "@cloud/rpc";
import { atMostOncePerSecond, type Readiness } from "@cloud/runtime";
import type { RouteTransport, TranscodedService } from "@cloud/transcoder";

/** The transports to each service process. */
export interface Upstreams {
  readonly workspace: RouteTransport;
  readonly environment: RouteTransport;
  readonly identity: RouteTransport;
}

/**
 * Returns every service with methods under /api, in the order of the reference page. Methods without a rule are not
 * exposed.
 */
export function exposedServices({ workspace, environment, identity }: Upstreams): TranscodedService[] {
  return [
    { service: WorkspaceService, transport: workspace },
    { service: DesignService, transport: workspace },
    { service: ViewService, transport: workspace },
    { service: EnvironmentService, transport: environment },
    { service: ConnectionService, transport: environment },
    { service: CredentialService, transport: environment },
    { service: OrganizationService, transport: identity },
    { service: InvitationService, transport: identity },
    { service: TeamService, transport: identity },
    { service: UserService, transport: identity },
    { service: TokenService, transport: identity },
    { service: AuditService, transport: identity },
    { service: CurriculumService, transport: identity },
  ];
}

type Peers = Readonly<Record<keyof Upstreams, ServiceTransport>>;

/**
 * Creates the gateway's readiness. It stays ready while any service is reachable: requests to a service that is down
 * fail with 503, and must not take the rest of the API with them.
 */
export function createReadiness(upstreams: Peers): () => Promise<Readiness> {
  const check = atMostOncePerSecond(() => unreachableServices(upstreams));
  return async () => {
    const unreachable = await check();
    const line = unreachable.length === 0 ? "ready" : `not reachable: ${unreachable.join(", ")}`;
    return { ready: unreachable.length < Object.keys(upstreams).length, lines: [line] };
  };
}

/**
 * Returns the names of the services that cannot be reached within a second. Any reply counts as reached: a service
 * whose own database is down reports that in its own readiness, and must not make the whole API unready.
 */
async function unreachableServices(upstreams: Peers): Promise<string[]> {
  const checks = Object.entries(upstreams).map(async ([name, transport]) =>
    (await isReached(transport)) ? [] : [name],
  );
  return (await Promise.all(checks)).flat();
}

async function isReached(transport: ServiceTransport): Promise<boolean> {
  try {
    await transport.unaryBinary(Health.method.check, undefined, 1_000, undefined, WHOLE_SERVICE);
    return true;
  } catch (error) {
    return ![Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED].some((reason) => reason === reasonOf(error));
  }
}

const WHOLE_SERVICE = toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema));
