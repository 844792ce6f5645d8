import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { ListWorkspacesResponseSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { listOf25, oneWorkspace } from "./canned.ts";

const options = { alwaysEmitImplicit: true };
const one = oneWorkspace.workspace && (toJson(WorkspaceSchema, oneWorkspace.workspace, options) as JsonObject);
const list = toJson(ListWorkspacesResponseSchema, listOf25, options) as JsonObject;

/** The bytes that a gateway responds with, for peers that convert nothing. */
const jsonOfOne = Buffer.from(JSON.stringify(one));
const jsonOfList = Buffer.from(JSON.stringify(list));

export const jsonFor = (url: string): Buffer => (url.includes("?") ? jsonOfList : jsonOfOne);
