import { type DescMethodUnary, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { http } from "@cloud/proto/google/api/annotations_pb";
import type { HttpRule } from "@cloud/proto/google/api/http_pb";
import { AuditService } from "@cloud/proto/identity/v1/audit_service_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";

export type Process = "workspace" | "environment" | "identity";

const SERVICES: Readonly<Record<Process, readonly DescService[]>> = {
  workspace: [WorkspaceService, DesignService, ViewService, AccessService],
  environment: [EnvironmentService, ConnectionService, CredentialService],
  identity: [
    OrganizationService,
    InvitationService,
    AuditService,
    TeamService,
    TokenService,
    UserService,
    CurriculumService,
  ],
};

export interface Method {
  readonly process: Process;
  readonly desc: DescMethodUnary;
  /** Undefined if the method is not exposed by REST. */
  readonly rule: HttpRule | undefined;
}

/** Finds the method of a name such as `workspace.v1.WorkspaceService/AssignTeam`. @throws Error for an unknown one */
export function findMethod(name: string): Method {
  for (const [process, services] of Object.entries(SERVICES) as [Process, readonly DescService[]][]) {
    const desc = services
      .flatMap(({ methods }) => methods)
      .find((method) => `${method.parent.typeName}/${method.name}` === name);
    if (desc?.methodKind === "unary") {
      const rule = hasOption(desc, http) ? getOption(desc, http) : undefined;
      return { process, desc: desc as DescMethodUnary, rule };
    }
  }
  throw new Error(`no RPC is named "${name}"`);
}
