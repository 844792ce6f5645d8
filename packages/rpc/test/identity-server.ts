import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { startUserServer } from "./start-user-server.ts";

/** Identity as the authenticator sees it, with the tokens that are valid. */
export interface IdentityServer {
  readonly url: string;
  readonly valid: Set<string>;
  /** The tokens of each look-up that has begun; a list of one for a single token. */
  readonly lookUps: (readonly string[])[];
  /** Called after the tokens are looked up and before they are replied; throws an error to reply that instead. */
  beforeReply: (tokens: readonly string[]) => Promise<void>;
  /** The membership of every user, in the reply of BatchAuthenticate. */
  membership: { readonly organizationId: string; readonly roleNames: string[] } | undefined;
  roles: Record<string, { readonly permissions: string[] }>;
  stop(): Promise<void>;
}

/** Starts a real server of identity; one of an older release has no BatchAuthenticate. */
export async function startIdentityServer(options: { readonly isOlder?: () => boolean } = {}): Promise<IdentityServer> {
  const { isOlder = () => false } = options;
  const valid = new Set<string>();
  const lookUps: (readonly string[])[] = [];
  const lookUp = async (tokens: readonly string[]) => {
    lookUps.push(tokens);
    const found = tokens.map((token) => valid.has(token));
    await server.beforeReply(tokens);
    return found;
  };
  const { url, stop } = await startUserServer({
    services: [AuthService],
    routes: (router) =>
      router.service(AuthService, {
        authenticate: async ({ token }) => {
          const [isValid] = await lookUp([token]);
          if (!isValid) throw fail(Reason.UNAUTHENTICATED);
          return { userId: token };
        },
        batchAuthenticate: async ({ tokens }) => {
          if (isOlder()) throw fail(Reason.UNIMPLEMENTED);
          const found = await lookUp(tokens);
          const memberships = server.membership === undefined ? [] : [server.membership];
          const identities = tokens.flatMap((userId, position) =>
            found[position] ? [[position, { userId, memberships }]] : [],
          );
          return { identities: Object.fromEntries(identities), roles: server.roles };
        },
      }),
  });
  const server: IdentityServer = {
    url,
    valid,
    lookUps,
    beforeReply: async () => undefined,
    membership: undefined,
    roles: {},
    stop,
  };
  return server;
}
