import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import type { Identity } from "./caller.ts";
import { fail, reasonOf } from "./fail.ts";
import type { OrganizationId } from "./id.ts";

/** How a service finds out who stands behind a token. */
export interface Authenticator {
  /** @throws UNAUTHENTICATED for an unknown or revoked token, UNAVAILABLE without identity. */
  authenticate(bearer: string): Promise<Identity>;
  organizationIsLive(organization: OrganizationId): Promise<boolean>;
}

/**
 * Asks identity at every call. There is no cache on purpose: a revoked token and a removed role are refused by the very
 * next request on every replica (docs/adr/0003).
 */
export function createAuthenticator({ identity }: { readonly identity: Transport }): Authenticator {
  const auth = createClient(AuthService, identity);
  const directory = createClient(DirectoryService, identity);
  return {
    async authenticate(bearer) {
      try {
        return await auth.authenticate({ token: bearer });
      } catch (error) {
        throw isOwnCredentialRefused(error) ? fail(Reason.INTERNAL, {}, error) : error;
      }
    },
    async organizationIsLive(organization) {
      const { organizations } = await directory.batchGetOrganizations({ ids: [organization] });
      return organizations.length === 1;
    },
  };
}

/** Our own credential was refused, not the caller's: a fault of the operator that must not read like a 401. */
function isOwnCredentialRefused(error: unknown): boolean {
  const refused = reasonOf(error) === Reason.UNAUTHENTICATED || reasonOf(error) === Reason.SERVICE_CREDENTIAL_REQUIRED;
  const details = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  return refused && details.some((info) => info.metadata["credential"] === "service");
}
