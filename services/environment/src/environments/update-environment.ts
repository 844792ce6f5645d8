import type { Caller } from "@cloud/access";
import { parseMetadata } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { UpdateEnvironmentRequest } from "@cloud/proto/environment/v1/environment_service_pb";
import { changedRow, requiredTags } from "@cloud/service/records";
import type { Context } from "../context.ts";
import { environmentToProto } from "../to-proto.ts";
import { requireEnvironment } from "./get-environment.ts";
import { parseEnvironmentTexts } from "./rules.ts";
import { updateEnvironmentFields } from "./sql.ts";

/**
 * Replaces both texts, and the metadata if it is sent. Platform-provisioned environments can be updated too: only their
 * deletion and their links are reserved to the platform.
 */
export async function updateEnvironment(context: Context, caller: Caller, request: UpdateEnvironmentRequest) {
  const tags = requiredTags(context, request);
  const metadata = request.metadata && parseMetadata(request.metadata);
  const environment = await requireEnvironment(context, caller, request.id);
  const texts = parseEnvironmentTexts(request, "update");

  const updated = await context.db.transaction((tx) =>
    updateEnvironmentFields(tx, environment.id, { ...texts, metadata }, tags),
  );
  return { environment: environmentToProto(changedRow(updated, tags, Reason.ENVIRONMENT_NOT_FOUND)) };
}
