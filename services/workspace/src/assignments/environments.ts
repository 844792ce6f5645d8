import { fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { lockLiveReferenceForShare } from "../links/reference-sql.ts";
import type { AssignmentKind } from "./assignment-kind.ts";
import { assertEnvironmentAssignable } from "./assignment-rules.ts";

/** Environments are owned by the environment service. */
export const environments: AssignmentKind = {
  name: "environment",
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
