import { fail, reasonOf } from "@cloud/access/errors";
import { hasTokenForm, type Identity, MAX_TOKENS, setPermissions } from "@cloud/access/principal";
import type { OrganizationId } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { createSemaphore, type Release } from "@cloud/runtime/limits";
import { type Correlation, correlate, currentCorrelation, joinCorrelations } from "@cloud/runtime/telemetry";
import { type Client, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import DataLoader from "dataloader";

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
  const lookUp = coalesce(createTokenLookUp(createClient(AuthService, identity)), {
    mostKeys: MAX_TOKENS, // protects: shared-look-ups
    patienceMs: PATIENCE_MS,
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
 * Milliseconds for which tokens are looked up one by one after a reply of a replica of identity without
 * BatchAuthenticate, which is possible during a rolling release.
 */
const ONE_BY_ONE_MS = 10_000;

/**
 * Looks up tokens with one call of identity. They are looked up one by one while identity is of an older release, and
 * if their users have so many memberships that the reply to all would be too large.
 */
function createTokenLookUp(auth: Client<typeof AuthService>): LookUpMany<TokenState> {
  let oneByOne = false;
  return async (tokens) => {
    if (oneByOne) return await lookUpOneByOne(auth, tokens);
    try {
      const { identities, roles } = await auth.batchAuthenticate({ tokens: [...tokens] });
      setPermissions(
        Object.values(identities),
        new Map(Object.entries(roles).map(([role, { permissions }]) => [role, permissions])),
      );
      return new Map(tokens.map((token, position) => [token, identities[position] ?? "refused"]));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === Reason.UNIMPLEMENTED) {
        oneByOne = true;
        setTimeout(() => {
          oneByOne = false;
        }, ONE_BY_ONE_MS).unref();
      } else if (reason !== Reason.ANSWER_TOO_LARGE) {
        throw faultOf(error);
      }
      return await lookUpOneByOne(auth, tokens);
    }
  };
}

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

/** Looks up distinct keys. The map contains every key; an Error in it rejects the calls for that key only. */
type LookUpMany<Result> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Result | Error>>;

interface CoalesceOptions {
  /** The most keys of one look-up. */
  readonly mostKeys: number;
  /** Milliseconds after which a look-up in flight no longer delays the next one; indefinitely if absent. */
  readonly patienceMs?: number;
  /** Milliseconds to pause after a look-up, by its number of keys; none if absent. */
  readonly restAfter?: (keys: number) => number;
}

interface Call {
  readonly key: string;
  readonly correlation: Correlation | undefined;
}

/**
 * Makes concurrent calls share look-ups: the calls of one turn of the event loop share one, and so do the calls made
 * while a look-up is in flight. A look-up begins after all calls that it serves, and no result is kept, so no result is
 * older than its call. A look-up that fails rejects its own calls only. It runs for the request that it serves, or, if
 * there are several, under an id of its own (`joinCorrelations`).
 */
export function coalesce<Result>(
  lookUp: LookUpMany<Result>,
  { mostKeys, patienceMs, restAfter = () => 0 }: CoalesceOptions,
): (key: string) => Promise<Result> {
  const turns = createSemaphore({ max: 1 }); // protects: look-ups-in-turn
  /** Ends the turn of the look-up that begins in the next turn of the event loop. */
  let endTurn: Release = () => undefined;
  const schedule = async (begin: () => void) => {
    endTurn = await turns.acquire();
    setImmediate(begin);
  };
  const loader = new DataLoader<Call, Result>(
    async (calls) => {
      const end = endTurn;
      const late = patienceMs === undefined ? undefined : setTimeout(end, patienceMs);
      const keys = calls.map(({ key }) => key);
      const correlation = joinCorrelations(calls.map((call) => call.correlation));
      try {
        const results = await correlate(correlation, () => lookUp([...new Set(keys)]));
        // The message leaves out the key, which may be a secret.
        return keys.map((key) => results.get(key) ?? new Error("a look-up returned no result for a key"));
      } finally {
        clearTimeout(late);
        const restMs = restAfter(keys.length);
        if (restMs === 0) end();
        else setTimeout(end, restMs);
      }
    },
    { cache: false, maxBatchSize: mostKeys, batchScheduleFn: (begin) => void schedule(begin) },
  );
  return (key) => loader.load({ key, correlation: currentCorrelation() });
}
