import type { Caller } from "@cloud/access";
import type { Context } from "../context.ts";
import { assignmentToProto } from "../to-proto.ts";
import { assignResource } from "./assign-resource.ts";
import type { LinkType } from "./link-types.ts";
import { removeResource } from "./remove-resource.ts";

/** The field with the resource's id in requests and replies. */
type Key = "teamId" | "environmentId" | "designId" | "viewId";
type Request<Name extends Key> = { readonly id: string } & Readonly<Record<Name, string>>;

/** Creates the two handlers of a kind. Kinds differ only in the field with the resource's id. */
export function assignmentHandlers<Name extends Key>(kind: LinkType, key: Name) {
  const linkOf = (request: Request<Name>) => ({ workspaceId: request.id, resourceId: request[key] });
  return {
    assign: async (context: Context, caller: Caller, request: Request<Name>) => {
      const link = await assignResource(context, caller, kind, linkOf(request));
      return { assignment: { ...assignmentToProto(link), [key]: link.resource_id } };
    },
    remove: async (context: Context, caller: Caller, request: Request<Name>) => {
      await removeResource(context, caller, kind, linkOf(request));
      return {};
    },
  };
}
