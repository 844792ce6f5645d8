/**
 * The errors of RPCs that are streams, by `<package>.<service>/<method>`: watches.e2e.test.ts produces each of them,
 * and the comments in proto/ name them.
 */
export const STREAM_ERRORS: Readonly<Record<string, readonly string[]>> = {
  "workspace.v1.WorkspaceService/ExportOrganizationEvents": [
    "INVALID_PARAMETER",
    "ORGANIZATION_NOT_FOUND",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
  ],
  "workspace.v1.WorkspaceService/WatchWorkspaceEvents": [
    "INVALID_PARAMETER",
    "PERMISSION_DENIED",
    "TOO_MANY_WATCHES",
    "UNAUTHENTICATED",
    "WORKSPACE_NOT_FOUND",
  ],
};
