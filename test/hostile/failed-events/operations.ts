import { type DescField, type DescMethodUnary, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@cloud/proto/google/api/annotations_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";

/** An RPC that changes a workspace, and one of its fields that names a record. */
export interface LoggedOperation {
  readonly desc: DescMethodUnary;
  readonly field: DescField;
  /** Whether the field names the workspace itself, so that a hostile id leaves no log to write to. */
  readonly namesTarget: boolean;
}

/** Returns every operation that the activity log is about, once for each id that its path or a new record takes. */
export function loggedOperations(): LoggedOperation[] {
  return WorkspaceService.methods
    .filter(isMutation)
    .flatMap((desc) =>
      desc.input.fields
        .filter(({ name }) => /(^|_)id$/.test(name) && !isIgnored(desc, name))
        .map((field) => ({ desc, field, namesTarget: field.name === "id" || field.name === "organization_id" })),
    );
}

function isMutation(desc: (typeof WorkspaceService.methods)[number]): desc is DescMethodUnary {
  return desc.methodKind === "unary" && hasOption(desc, http) && getOption(desc, http).pattern.case !== "get";
}

/** Clients send the organization with every update; it cannot change. */
const isIgnored = ({ name }: DescMethodUnary, field: string) =>
  name === "UpdateWorkspace" && field === "organization_id";
