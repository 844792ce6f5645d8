import type { SurfaceFailure } from "./surface-example.ts";

export const refuse = (reason: string, request: Readonly<Record<string, unknown>>): SurfaceFailure => ({
  reason,
  request,
});
export const refuseUser = (request: Readonly<Record<string, unknown>>): SurfaceFailure => ({
  as: "user",
  reason: "PERMISSION_DENIED",
  request,
});
/** Names a state that the record has not. */
export const outdated = (request: Readonly<Record<string, unknown>>) =>
  refuse("PRECONDITION_FAILED", { ...request, etag: '"outdated"' });
