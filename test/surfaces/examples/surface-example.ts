import type { GivenName } from "./given.ts";

export interface SurfaceExample {
  /** A demo user; `orgAdmin` if absent. */
  readonly as?: SurfaceCaller;
  /** Records created before, in order, each referenced by its name afterwards. */
  readonly given?: readonly GivenName[];
  /** In proto3 JSON; `$name` is the name of a given record, an id of the demo, or a text of the example's own. */
  readonly succeeds: Readonly<Record<string, unknown>>;
  readonly fails: readonly SurfaceFailure[];
}

export interface SurfaceFailure {
  /** `service` is the operator, whose credential the gateway does not accept. */
  readonly as?: SurfaceCaller | "anonymous" | "service";
  readonly request: Readonly<Record<string, unknown>>;
  /** As in ErrorInfo and the REST body. */
  readonly reason: string;
}

export type SurfaceCaller = "user" | "teamAdmin" | "workspaceAdmin" | "orgAdmin" | "providerAdmin";
