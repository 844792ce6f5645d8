import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { CreateEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { type Caller, type EnvironmentId, newId, parseOrganizationId } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { lockOrganization, requireOrganization } from "../organizations/organization-guard.ts";
import { parseEnvironmentTexts } from "./environment-rules.ts";
import { insertEnvironment } from "./environment-sql.ts";
import { environmentToProto } from "./environment-to-proto.ts";

/** Creates an environment of the kind given; the two RPCs that create differ in nothing else. */
export async function createEnvironment(
  context: Context,
  caller: Caller,
  request: Pick<CreateEnvironmentRequest, "organizationId" | "name" | "description">,
  platformProvisioned = false,
) {
  const permission = Permission.CREATE_ENVIRONMENT;
  const organizationId = parseOrganizationId(request.organizationId);
  await requireOrganization(context, caller, organizationId, permission);
  const texts = parseEnvironmentTexts(request, "create");

  const id = newId<EnvironmentId>();
  const row = await context.db.withTransaction(async (tx) => {
    await lockOrganization(tx, caller, organizationId, permission);
    return insertEnvironment(tx, { id, organizationId, ...texts, platformProvisioned });
  });
  return { environment: environmentToProto(row) };
}
