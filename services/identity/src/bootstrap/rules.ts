import type { UserId } from "@cloud/access/values";

/** The state of the system before a run. */
export interface BootstrapState {
  /** The live user with the email, and the names of the organizations in which they have the role Provider Admin. */
  readonly user: { readonly id: UserId; readonly providerAdminOf: readonly string[] } | undefined;
  /** Whether any live user is a Provider Admin. */
  readonly hasProviderAdmin: boolean;
  /** The token in the file, if it is stored already. */
  readonly token: { readonly userId: UserId; readonly isRevoked: boolean } | undefined;
}

/** The records that a run is to create. The token, too, belongs to the Provider Admin. */
interface BootstrapPlan {
  readonly user: boolean;
  readonly organization: boolean;
  readonly token: boolean;
}

/** Thrown if the command cannot change the state; the message is for the operator. */
class NotDone extends Error {}

/**
 * Decides what a run creates: everything in a system without a Provider Admin; at most the token of a new file in a
 * system where the user is a Provider Admin of an organization of this name.
 *
 * @throws NotDone if only others are Provider Admins, if the user is one elsewhere only, or if the token is revoked
 * or belongs to another user.
 */
export function planBootstrap(
  { user, hasProviderAdmin, token }: BootstrapState,
  { organization, hasFile }: { readonly organization: string; readonly hasFile: boolean },
): BootstrapPlan {
  const places = user?.providerAdminOf ?? [];
  const isDone = places.length > 0;
  if (isDone && !places.includes(organization)) {
    throw new NotDone(
      `the user is a Provider Admin of ${namesIn(places)}, and of no organization "${organization}": nothing was ` +
        "changed. Name the one that there is; a further one is created by POST /api/identity/organizations",
    );
  }
  if (!isDone && hasProviderAdmin) {
    throw new NotDone(
      "the system has a Provider Admin, who is another user: nothing was changed. A Provider Admin gives the role to " +
        "others, by PUT /api/identity/organizations/{id}/members/{userId}",
    );
  }
  if (token !== undefined && token.userId !== user?.id) {
    throw new NotDone(
      "the token in the file belongs to another user: nothing was changed. Put a new one into the file",
    );
  }
  if (token?.isRevoked === true) {
    throw new NotDone("the token in the file was revoked: nothing was changed. Put a new one into the file");
  }
  return {
    user: user === undefined,
    organization: !isDone,
    token: token === undefined && (hasFile || !isDone),
  };
}

function namesIn(organizations: readonly string[]): string {
  return organizations.map((name) => `"${name}"`).join(", ");
}
