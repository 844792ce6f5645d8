import type { UserId } from "@cloud/access/values";

/** What is there before. */
export interface BootstrapState {
  /** The live user with the email, and the names of the organizations in which they have the role Provider Admin. */
  readonly user: { readonly id: UserId; readonly providerAdminOf: readonly string[] } | undefined;
  /** Whether any live user is a Provider Admin. */
  readonly hasProviderAdmin: boolean;
  /** The token in the file, if it is stored already. */
  readonly token: { readonly userId: UserId; readonly isRevoked: boolean } | undefined;
}

/** What is to be created; the token, too, is one of the Provider Admin. */
export interface BootstrapPlan {
  readonly user: boolean;
  readonly organization: boolean;
  readonly token: boolean;
}

/** The command can do nothing about it; the message is for the operator. */
class NotDone extends Error {}

/**
 * Decides what a run creates: everything in a system without a Provider Admin, and in one where the user is a Provider
 * Admin of an organization of this name at most the token of a new file.
 *
 * @throws NotDone if only others are Provider Admins, if the user is one elsewhere only, or for a token that is revoked or
 * of another user.
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
