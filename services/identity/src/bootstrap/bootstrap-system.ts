import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import type { Database, Tx } from "@cloud/postgres";
import type { Actor } from "../audit/record-audit-event.ts";
import { addOrganization } from "../organizations/create-organization.ts";
import { addToken } from "../tokens/create-token.ts";
import { createSecret, type Secret } from "../tokens/secret.ts";
import { addUser } from "../users/create-user.ts";
import type { Arguments } from "./read-arguments.ts";
import { planBootstrap } from "./rules.ts";
import { lockBootstrap, selectBootstrapState } from "./sql.ts";

/** What a run has created, or would. */
export interface Bootstrapped {
  /** What was created, in parts of sentences; empty if nothing was. */
  readonly created: readonly string[];
  /** That of a token that was made; undefined if none was. */
  readonly secret: string | undefined;
}

/** As in the audit log of the RPCs, which the operator calls with a credential of that name. */
const OPERATOR: Actor = { userId: "", serviceName: "operator" };
const NO_REQUEST = { requestId: "" };

/**
 * Creates what is missing, in one transaction that no other run shares, with the entries and the event that the RPCs write.
 *
 * @throws NotDone
 */
export async function bootstrapSystem(db: Pick<Database, "transaction">, wanted: Arguments): Promise<Bootstrapped> {
  return await db.transaction(async (tx) => {
    await lockBootstrap(tx);
    const state = await selectBootstrapState(tx, wanted.email, wanted.secret?.digest ?? null);
    const plan = planBootstrap(state, { organization: wanted.organization, hasFile: wanted.secret !== undefined });
    const { organization: name, dryRun } = wanted;
    const created: string[] = [];
    const userId = state.user?.id ?? newId<UserId>();
    if (plan.user) {
      if (!dryRun) await create(tx, userId, wanted);
      created.push(`the user ${wanted.email}`);
    }
    if (plan.organization) {
      const organization = { id: newId<OrganizationId>(), name, description: "", owner: userId };
      if (!dryRun) await addOrganization(tx, NO_REQUEST, OPERATOR, organization, ["Org Admin", "Provider Admin"]);
      created.push(`the organization "${name}", with ${wanted.email} as Org Admin and Provider Admin`);
    }
    const secret = plan.token && !dryRun ? await addSecret(tx, userId, wanted.secret) : undefined;
    if (plan.token) created.push(`a token of ${wanted.email}${wanted.secret ? ", which is that in the file" : ""}`);
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
