import { createHash, timingSafeEqual } from "node:crypto";
import { getOption } from "@bufbuild/protobuf";
import { Audience, audience } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Interceptor } from "@connectrpc/connect";
import { callerKey, createCaller, type Identity, serviceCaller } from "../caller.ts";
import { fail } from "../fail.ts";
import type { OrganizationId } from "../id.ts";
import { isOpenService } from "./open-service.ts";

export interface AuthenticationOptions {
  readonly authenticate: (bearer: string) => Promise<Identity>;
  readonly organizationIsLive: (organization: OrganizationId) => Promise<boolean>;
  readonly serviceTokens: readonly string[];
}

/** Finds out who calls, by security token or service credential, and enforces an RPC's audience. */
export function authenticationInterceptor(options: AuthenticationOptions): Interceptor {
  const isServiceToken = createTokenCheck(options.serviceTokens);
  return (next) => async (request) => {
    if (isOpenService(request.service)) {
      return await next(request);
    }
    const forServices = getOption(request.method, audience) === Audience.SERVICE;
    const bearer = bearerOf(request.header.get("authorization"));
    if (bearer === undefined) {
      throw unauthenticated(forServices);
    }
    const requestedOrganization = request.header.get("service-current-orgid") ?? "";
    if (isServiceToken(bearer)) {
      request.contextValues.set(callerKey, serviceCaller(requestedOrganization));
      return await next(request);
    }
    if (forServices) {
      throw fail(Reason.SERVICE_CREDENTIAL_REQUIRED, { credential: "service" });
    }
    const identity = await options.authenticate(bearer);
    request.contextValues.set(callerKey, createCaller(identity, requestedOrganization, options.organizationIsLive));
    return await next(request);
  };
}

const unauthenticated = (forServices: boolean) =>
  fail(Reason.UNAUTHENTICATED, forServices ? { credential: "service" } : {});

/** RFC 6750, 2.1; the scheme in any case. */
function bearerOf(header: string | null): string | undefined {
  return header === null ? undefined : /^bearer +(\S+)$/i.exec(header.trim())?.[1];
}

/** Compares digests in constant time, so that the time taken tells nothing about an accepted token. */
function createTokenCheck(tokens: readonly string[]): (bearer: string) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const accepted = tokens.map(digest);
  return (bearer) => {
    const presented = digest(bearer);
    return accepted.reduce((found, one) => timingSafeEqual(one, presented) || found, false);
  };
}
