import type { UserId } from "@cloud/contract";

/** What is there before. */
export interface BootstrapState {
  /** The live user with the email. */
  readonly user: { readonly id: UserId; readonly isProviderAdmin: boolean } | undefined;
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
 * Admin at most the token of a new file.
 *
 * @throws NotDone if only others are Provider Admins, or for a token that is revoked or of another user.
 */
export function planBootstrap({ user, hasProviderAdmin, token }: BootstrapState, hasFile: boolean): BootstrapPlan {
  const isDone = user?.isProviderAdmin === true;
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
