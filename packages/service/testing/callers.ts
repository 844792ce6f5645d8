import { TOKEN_PREFIX } from "@cloud/access/principal";
import { SERVICE_TOKEN } from "./credentials.ts";

/** The users of the identity peer: see `startIdentityPeer`. */
export type UserName = "admin" | "member" | "outsider" | "provider";

/** Returns the token of a user of the identity peer: the name, in the form of a token. */
export const tokenOf = (name: string): string => TOKEN_PREFIX + name.padEnd(43, "_");

/** Clients for each user, for a service, and for a caller whose token is unknown. */
export type Callers<Clients> = Readonly<Record<UserName | "service" | "stranger", Clients>>;

/** Returns the clients that `as` creates for each caller's token. */
export function callersOf<Clients>(as: (token: string) => Clients): Callers<Clients> {
  return {
    admin: as(tokenOf("admin")),
    member: as(tokenOf("member")),
    outsider: as(tokenOf("outsider")),
    provider: as(tokenOf("provider")),
    service: as(SERVICE_TOKEN),
    stranger: as(tokenOf("nobody")),
  };
}
