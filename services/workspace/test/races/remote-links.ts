import type { Id } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import type { Rewrite } from "@cloud/testkit";
import { assignResource } from "../../src/assignments/assign-resource.ts";
import { deleteLinksOfResource } from "../../src/assignments/assignment-sql.ts";
import { environments } from "../../src/assignments/environments.ts";
import { upsertReferenceTombstone } from "../../src/assignments/reference-sql.ts";
import { teams } from "../../src/assignments/teams.ts";
import type { Context } from "../../src/context.ts";
import { type RaceStage, system } from "./race-stage.ts";

/**
 * Assigns what its owner deletes in the moment after it has said that it lives, and hears of the deletion as the consumer
 * does. Answers how many links were left.
 */
export async function raceRemoteLinks(
  stage: RaceStage,
  kind: "environment" | "team",
  { rounds, rewrite }: { readonly rounds: number; readonly rewrite: Rewrite },
): Promise<number> {
  const { peers } = stage.fixture;
  const [organization] = await stage.newOrganizations(1, 1);
  if (organization === undefined) throw new TypeError("no organization");
  const [workspaceId = ""] = organization.workspaces;
  const add = kind === "environment" ? peers.addEnvironment : peers.addTeam;
  const resources: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const resourceId = add(organization.id);
    resources.push(resourceId);
    const lookedUp = Promise.withResolvers<void>();
    const context = tellingOfLookUps(stage.contextWith(rewrite), lookedUp.resolve);
    const link = kind === "environment" ? environments : teams;
    await Promise.all([
      refusal(assignResource(context, system, link, { workspaceId, resourceId })),
      lookedUp.promise.then(() => hearOfDeletion(context, kind, resourceId as Id)),
    ]);
  }
  return stage.count("assignments where resource_id = any($1)", [resources]);
}

const hearOfDeletion = ({ db }: Context, kind: "environment" | "team", id: Id) =>
  db.withTransaction(async (tx) => {
    await upsertReferenceTombstone(tx, kind, id);
    await deleteLinksOfResource(tx, kind, id);
  });

/** The context, with a signal at the moment when the owner of a resource has answered. */
function tellingOfLookUps(context: Context, lookedUp: () => void): Context {
  const telling =
    <Args extends unknown[], Reply>(lookUp: (...args: Args) => Promise<Reply>) =>
    async (...args: Args) => {
      const reply = await lookUp(...args);
      lookedUp();
      return reply;
    };
  const { identity, environment } = context;
  return {
    ...context,
    identity: { ...identity, batchGetTeams: telling(identity.batchGetTeams) },
    environment: { ...environment, batchGetEnvironments: telling(environment.batchGetEnvironments) },
  };
}
