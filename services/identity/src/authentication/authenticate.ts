import type { Caller } from "@cloud/contract";
import type { AuthenticateRequest } from "@cloud/proto/identity/v1/auth_service_pb";
import type { Context } from "../context.ts";
import { authenticateToken } from "./authenticate-tokens.ts";

/** Authenticates a token for the interceptors of the other services; that of this service calls `authenticateToken`. */
export async function authenticate(context: Context, _caller: Caller, request: AuthenticateRequest) {
  return authenticateToken(context.db, request.token);
}
