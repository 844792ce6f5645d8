import { fail, hasTokenForm, type Identity, MAX_TOKENS, type OrganizationId } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { createClient, type Transport } from "@connectrpc/connect";
import { coalesce } from "./coalesce.ts";
import { createTokenLookUp } from "./look-up-tokens.ts";

/** Identifies the user behind a token. */
export interface Authenticator {
  /** @throws UNAUTHENTICATED for an unknown or revoked token, UNAVAILABLE while identity is unreachable. */
  authenticate(bearer: string): Promise<Identity>;
  organizationIsLive(organization: OrganizationId): Promise<boolean>;
}

/** A look-up takes a few milliseconds. One that hangs until its deadline of 5 s delays the next ones by this at most. */
const PATIENCE_MS = 100;

/**
 * Asks identity about every request. It deliberately has no cache: a revoked token and a removed role are refused at the
 * very next request on every replica (docs/adr/0003). Requests that arrive meanwhile share the next call, which begins
 * after all of them have arrived. With two calls in flight, each had fewer tokens, and a saturated core served a tenth less.
 */
export function createAuthenticator({ identity }: { readonly identity: Transport }): Authenticator {
  const directory = createClient(DirectoryService, identity);
  const lookUp = coalesce(createTokenLookUp(createClient(AuthService, identity)), {
    mostKeys: MAX_TOKENS,
    patienceMs: PATIENCE_MS,
  });
  return {
    async authenticate(bearer) {
      const state = hasTokenForm(bearer) ? await lookUp(bearer) : "refused";
      if (state === "refused") throw fail(Reason.UNAUTHENTICATED);
      return state;
    },
    async organizationIsLive(organization) {
      const { organizations } = await directory.batchGetOrganizations({ ids: [organization] });
      return organizations.length === 1;
    },
  };
}
