import type { Caller } from "@cloud/access";
import { type EnvironmentId, newId, parseMetadata, parseOrganizationId } from "@cloud/access/values";
import type { CreateEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { createOnce } from "@cloud/service";
import type { Context } from "../context.ts";
import { insertAndLockOrganization, requireOrganization } from "../organizations/require-organization.ts";
import { environmentToProto } from "../to-proto.ts";
import { parseEnvironmentTexts } from "./rules.ts";
import { insertEnvironment } from "./sql.ts";

/**
 * Creates an ordinary or a platform-provisioned environment; the two RPCs that create environments differ in that only.
 */
export async function createEnvironment(
  context: Context,
  caller: Caller,
  request: Pick<CreateEnvironmentRequest, "organizationId" | "name" | "description" | "metadata">,
  platformProvisioned = false,
) {
  const organizationId = parseOrganizationId(request.organizationId);
  const metadata = parseMetadata(request.metadata);
  await requireOrganization(context, caller, organizationId);
  const texts = parseEnvironmentTexts(request, "create");

  const id = newId<EnvironmentId>();
  return await createOnce(context, async (tx) => {
    await insertAndLockOrganization(tx, caller, organizationId);
    const created = await insertEnvironment(tx, { id, organizationId, ...texts, platformProvisioned, metadata });
    return { environment: environmentToProto(created) };
  });
}
