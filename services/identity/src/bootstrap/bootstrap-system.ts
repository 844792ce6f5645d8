import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import { type Actor, NO_REQUEST } from "../audit/record-audit-event.ts";
import { addOrganization } from "../organizations/create-organization.ts";
import { addToken } from "../tokens/create-token.ts";
import { createSecret, type Secret } from "../tokens/secret.ts";
import { addUser } from "../users/create-user.ts";
import type { Arguments } from "./read-arguments.ts";
import { planBootstrap } from "./rules.ts";
import { lockBootstrap, selectBootstrapState } from "./sql.ts";

/** The records that a run has created, or would create. */
export interface Bootstrapped {
  /** The created records; empty if there are none. */
  readonly created: readonly ("user" | "organization" | "token")[];
  /** The secret of a token that was generated; undefined if none was. */
  readonly secret: string | undefined;
}

/** The actor in the audit log. The operator's RPCs have the same: their credential has this name. */
const OPERATOR: Actor = { userId: "", serviceName: "operator" };

/**
 * Creates the missing records, in one transaction that no other run overlaps, with the entries and the event that the
 * RPCs write.
 *
 * @throws NotDone
 */
export async function bootstrapSystem(db: Pick<Database, "transaction">, wanted: Arguments): Promise<Bootstrapped> {
  return await db.transaction(async (tx) => {
    await lockBootstrap(tx);
    const state = await selectBootstrapState(tx, wanted.email, wanted.secret?.digest ?? null);
    const plan = planBootstrap(state, { organization: wanted.organization, hasFile: wanted.secret !== undefined });
    const { organization: name, dryRun } = wanted;
    const created: Bootstrapped["created"][number][] = [];
    const userId = state.user?.id ?? newId<UserId>();
    if (plan.user) {
      if (!dryRun) await create(tx, userId, wanted);
      created.push("user");
    }
    if (plan.organization) {
      const organization = { id: newId<OrganizationId>(), name, description: "", owner: userId };
      if (!dryRun) await addOrganization(tx, NO_REQUEST, OPERATOR, organization, ["Org Admin", "Provider Admin"]);
      created.push("organization");
    }
    const secret = plan.token && !dryRun ? await addSecret(tx, userId, wanted.secret) : undefined;
    if (plan.token) created.push("token");
    return { created, secret: wanted.secret === undefined ? secret : undefined };
  });
}

async function create(tx: Tx, id: UserId, { email, firstName, lastName }: Arguments): Promise<void> {
  await addUser(tx, NO_REQUEST, OPERATOR, { id, email, firstName, lastName, avatarUrl: "" });
}

async function addSecret(tx: Tx, userId: UserId, given: Secret | undefined): Promise<string> {
  const secret = given ?? createSecret();
  await addToken(tx, NO_REQUEST, OPERATOR, { userId, name: "bootstrap", secret });
  return secret.secret;
}
