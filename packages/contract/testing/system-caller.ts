import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { authorizeCall } from "../src/authorization.ts";
import type { Caller } from "../src/caller.ts";
import { servicePrincipal } from "../src/principal.ts";

/** Returns a caller that may do everything, for tests that call handlers without an RPC. */
export function systemCaller(): Caller {
  const rule = {
    method: "a test",
    forServicesOnly: true,
    callers: [],
    scope: Scope.UNSPECIFIED,
    permission: Permission.UNSPECIFIED,
  };
  return authorizeCall(servicePrincipal("", "operator"), rule).caller;
}
