import { create } from "@bufbuild/protobuf";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { GetProfileRequestSchema, UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { fail, reasonOf } from "@cloud/rpc";
import type { TranscoderCall } from "@cloud/transcoder";
import type { Transport } from "@connectrpc/connect";
import { forwardedHeaders } from "./forwarded-headers.ts";

/** Refuses a request that brings no token. Whether a token is good is for the services to say. */
export function requireBearer({ request }: TranscoderCall): void {
  if (!/^Bearer +\S/i.test(request.headers.authorization ?? "")) throw fail(Reason.UNAUTHENTICATED);
}

/**
 * Makes the check that lets authentication come before form: a request that no service will see, because its form is
 * wrong, is refused for its token first. Identity is asked with the caller's own token, so that the gateway needs no
 * credential of its own.
 */
export function createCallerCheck(identity: Transport, deadlineMs: number) {
  return async ({ request }: TranscoderCall): Promise<void> => {
    const headers = { ...forwardedHeaders(request) };
    try {
      await identity.unary(
        UserService.method.getProfile,
        undefined,
        deadlineMs,
        headers,
        create(GetProfileRequestSchema),
      );
    } catch (error) {
      // Any other failure is one of the profile, not of the caller.
      if (DECISIVE.has(reasonOf(error))) throw error;
    }
  };
}

const DECISIVE: ReadonlySet<Reason> = new Set([Reason.UNAUTHENTICATED, Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED]);
