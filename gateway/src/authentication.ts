import { create } from "@bufbuild/protobuf";
import { bearerOf, fail, hasTokenForm, reasonOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { GetProfileRequestSchema, UserService } from "@cloud/proto/identity/v1/user_service_pb";
import type { HttpRequest, TranscoderCall } from "@cloud/transcoder";
import type { Transport } from "@connectrpc/connect";
import { forwardedHeaders } from "./request-headers.ts";

/** Refuses a request without a security token. The services decide whether a token is valid. */
export function requireToken({ request }: TranscoderCall): void {
  if (!hasTokenForm(bearerOf(request.headers.authorization) ?? "")) throw unauthenticated;
}

/** One for all refusals: to create it costs more than to send it. */
const unauthenticated = fail(Reason.UNAUTHENTICATED);

/** Rejects if the caller's token is not valid. */
export type CallerCheck = (call: TranscoderCall) => Promise<void>;

/**
 * Creates the check that gives authentication precedence over form, and over a large body: a malformed request, which no
 * service will see, is refused for an invalid token first. It calls identity with the caller's own token, so the gateway
 * needs no credential of its own; once for each request.
 */
export function createCallerCheck(identity: Transport, deadlineMs: number): CallerCheck {
  const check = async (request: HttpRequest): Promise<void> => {
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
      // Any other failure concerns the profile, not the caller.
      if (DECISIVE.has(reasonOf(error))) throw error;
    }
  };
  const checked = new WeakMap<HttpRequest, Promise<void>>();
  return ({ request }) => {
    const result = checked.get(request) ?? check(request);
    checked.set(request, result);
    return result;
  };
}

const DECISIVE: ReadonlySet<Reason> = new Set([
  Reason.UNAUTHENTICATED,
  Reason.RATE_LIMITED,
  Reason.OVERLOADED,
  Reason.UNAVAILABLE,
  Reason.DEADLINE_EXCEEDED,
]);
