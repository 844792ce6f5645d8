import type { Identity, OrganizationId } from "@cloud/contract";
import { fail, hasTokenForm, reasonOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";

/** Identifies the user behind a token. */
export interface Authenticator {
  /** @throws UNAUTHENTICATED for an unknown or revoked token, UNAVAILABLE while identity is unreachable. */
  authenticate(bearer: string): Promise<Identity>;
  organizationIsLive(organization: OrganizationId): Promise<boolean>;
}

/**
 * Calls identity for every request. It deliberately has no cache: a revoked token and a removed role are refused at the
 * very next request on every replica (docs/adr/0003).
 */
export function createAuthenticator({ identity }: { readonly identity: Transport }): Authenticator {
  const auth = createClient(AuthService, identity);
  const directory = createClient(DirectoryService, identity);
  return {
    async authenticate(bearer) {
      if (!hasTokenForm(bearer)) throw fail(Reason.UNAUTHENTICATED);
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

/** Our own credential was refused, not the caller's: a configuration error that must not be reported as 401. */
function isOwnCredentialRefused(error: unknown): boolean {
  const refused = CREDENTIAL_REFUSED.has(reasonOf(error));
  const details = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  return refused && details.some((info) => info.metadata["credential"] === "service");
}

const CREDENTIAL_REFUSED: ReadonlySet<Reason> = new Set([
  Reason.UNAUTHENTICATED,
  Reason.SERVICE_CREDENTIAL_REQUIRED,
  Reason.SERVICE_NOT_ALLOWED,
]);
