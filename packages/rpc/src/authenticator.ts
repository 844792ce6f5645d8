import { fail, reasonOf } from "@cloud/access/errors";
import { hasTokenForm, type Identity, MAX_TOKENS, setPermissions } from "@cloud/access/principal";
import type { OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { type Client, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createBatchLoader, type LookUpMany } from "./batch-loader.ts";

/** Identifies the user behind a token. */
export interface Authenticator {
  /** @throws UNAUTHENTICATED for an unknown or revoked token, UNAVAILABLE while identity is unreachable. */
  authenticate(bearer: string): Promise<Identity>;
  organizationIsLive(organization: OrganizationId): Promise<boolean>;
}

/**
 * Asks identity about every request. It deliberately has no cache: a revoked token and a removed role are refused at
 * the very next request on every replica (docs/adr/0003). Requests that arrive during a call share the next one, which
 * begins after all of them have arrived. With two calls in flight, each had fewer tokens, and a saturated core served a
 * tenth less.
 */
export function createAuthenticator({ identity }: { readonly identity: Transport }): Authenticator {
  const directory = createClient(DirectoryService, identity);
  const lookUp = createBatchLoader(createTokenLookUp(createClient(AuthService, identity)), {
    maxBatchSize: MAX_TOKENS, // protects: shared-look-ups
    maxWaitMs: PATIENCE_MS,
  });
  return {
    async authenticate(bearer) {
      const state = hasTokenForm(bearer) ? await lookUp(bearer) : "refused"; // protects: look-up-per-request
      if (state === "refused") throw fail(Reason.UNAUTHENTICATED);
      return state;
    },
    async organizationIsLive(organization) {
      const { organizations } = await directory.batchGetOrganizations({ ids: [organization] });
      return organizations.length === 1;
    },
  };
}

/**
 * A look-up takes a few milliseconds. One that hangs until its deadline of 5 s delays the next ones by this at most.
 */
const PATIENCE_MS = 100;

/** The user of a token; `refused` if the token is unknown or revoked, or its user is deleted. */
type TokenState = Identity | "refused";

/**
 * Looks up tokens with one call of identity. They are looked up one by one where identity is of release 0.1.0, which has
 * no BatchAuthenticate, and if their users have so many memberships that the reply to all would be too large.
 */
function createTokenLookUp(auth: Client<typeof AuthService>): LookUpMany<TokenState> {
  return async (tokens) => {
    try {
      const { identities, roles } = await auth.batchAuthenticate({ tokens: [...tokens] });
      setPermissions(
        Object.values(identities),
        new Map(Object.entries(roles).map(([role, { permissions }]) => [role, permissions])),
      );
      return new Map(tokens.map((token, position) => [token, identities[position] ?? "refused"]));
    } catch (error) {
      if (!ONE_BY_ONE.has(reasonOf(error))) throw faultOf(error);
      return await lookUpOneByOne(auth, tokens);
    }
  };
}

const ONE_BY_ONE: ReadonlySet<Reason> = new Set([Reason.UNIMPLEMENTED, Reason.ANSWER_TOO_LARGE]);

async function lookUpOneByOne(auth: Client<typeof AuthService>, tokens: readonly string[]) {
  const states = tokens.map(async (token) => [token, await lookUpOne(auth, token)] as const);
  return new Map(await Promise.all(states));
}

/** Returns errors instead of throwing them, so that each ends the calls with its own token only. */
function lookUpOne(auth: Client<typeof AuthService>, token: string): Promise<TokenState | Error> {
  return auth.authenticate({ token }).catch((error: unknown) => {
    const fault = faultOf(error);
    return reasonOf(fault) === Reason.UNAUTHENTICATED ? "refused" : fault;
  });
}

/** Returns INTERNAL where our own credential was refused: a configuration error, which must not be reported as 401. */
function faultOf(error: unknown): ConnectError {
  const details = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  const isOwn = details.some((info) => info.metadata["credential"] === "service");
  return isOwn && CREDENTIAL_REFUSED.has(reasonOf(error)) ? fail(Reason.INTERNAL, {}, error) : ConnectError.from(error);
}

const CREDENTIAL_REFUSED: ReadonlySet<Reason> = new Set([
  Reason.UNAUTHENTICATED,
  Reason.SERVICE_CREDENTIAL_REQUIRED,
  Reason.SERVICE_NOT_ALLOWED,
]);
