import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { AuditService } from "@cloud/proto/identity/v1/audit_service_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
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
