import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { ConnectError } from "@connectrpc/connect";
import { Caller } from "../src/caller.ts";
import { codeOf, reasonOf, ruleOf } from "../src/errors/fail.ts";
import { servicePrincipal } from "../src/principal.ts";

/** Returns how a call was refused, in REST's terms: status, code and text. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "not refused";
  } catch (error) {
    const reason = reasonOf(error);
    const text = error instanceof ConnectError ? error.rawMessage : String(error);
    return `${ruleOf(reason).httpStatus} ${codeOf(reason)}: ${text}`;
  }
}

/** Returns a caller that may do everything, for tests that call handlers without an RPC. */
export function systemCaller(): Caller {
  const rule = {
    method: "a test",
    forServicesOnly: true,
    callers: [],
    scope: Scope.UNSPECIFIED,
    permission: Permission.UNSPECIFIED,
  };
  return new Caller(servicePrincipal("", "operator"), rule);
}
