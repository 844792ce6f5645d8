import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "@cloud/rpc";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertEnvironmentAssignable } from "./assignment-rules.ts";
import { lockLiveReferenceForShare } from "./reference-sql.ts";

/** Environments are the environment service's. */
export const environments: AssignmentKind = {
  name: "environment",
  assignPermission: Permission.ASSIGN_ENVIRONMENT_TO_WORKSPACE,
  removePermission: Permission.REMOVE_ENVIRONMENT_FROM_WORKSPACE,
  notFound: Reason.ENVIRONMENT_NOT_FOUND,
  notAssigned: Reason.ENVIRONMENT_ASSIGNMENT_NOT_FOUND,
  check: async (context, id, workspace) => {
    const [environment] = (await context.environment.batchGetEnvironments({ ids: [id] })).environments;
    if (environment === undefined) {
      throw fail(Reason.ENVIRONMENT_NOT_FOUND);
    }
    assertEnvironmentAssignable(environment, workspace.organization_id);
  },
  claim: async (tx, id) => {
    if (!(await lockLiveReferenceForShare(tx, "environment", id))) {
      throw fail(Reason.ENVIRONMENT_NOT_FOUND);
    }
  },
};
