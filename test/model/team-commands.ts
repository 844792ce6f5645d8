import fc from "fast-check";
import { endLinksOf, find, type Team } from "./model.ts";
import { holds, isMember } from "./permissions.ts";
import { newItem, teamBody } from "./records.ts";
import * as refusals from "./refusals.ts";
import { refusedCreation } from "./refused-creation.ts";
import { command, either, firstOf } from "./step.ts";
import { anyActor, anyScope, anyTarget, anyText, idOf, isTooLong, organizationOf, tagged } from "./targets.ts";

const create = command(
  "create team",
  fc.record({ actor: anyActor, scope: anyScope, name: anyText }),
  (model, { actor, scope, name }) => {
    const organizationId = organizationOf(model, actor, scope);
    const body = { name: tagged(model, name), description: "" };
    const made = (received: unknown): Team => ({
      ...newItem(received, organizationId, body),
      owner: model.people[actor].id,
    });
    const mayNot = refusedCreation(model, actor, organizationId, "Manage Teams");
    // The form of the request is checked before the permission, and team names have no rule of their own.
    const tooLong = isTooLong(name) && refusals.invalid("name", "at most 255 characters");
    const refusal = mayNot?.status === 403 ? firstOf(tooLong, mayNot) : firstOf(mayNot, tooLong);
    return {
      actor,
      method: "POST",
      path: "/identity/teams",
      body: { organizationId, name: body.name },
      expected: either(refusal, { status: 201, body: (received) => teamBody(made(received)) }),
      learn: (response) => {
        if (refusal === undefined) model.teams.push(made(response.body));
      },
    };
  },
);

const remove = command("delete team", fc.record({ actor: anyActor, team: anyTarget }), (model, { actor, team }) => {
  const id = idOf(model, actor, model.teams, team);
  const found = find(model.teams, id);
  const seen = found !== undefined && isMember(model, actor, found.organizationId);
  const refusal = firstOf(
    actor === "anonymous" && refusals.UNAUTHENTICATED,
    !seen && refusals.TEAM_NOT_FOUND,
    seen && !holds(model, actor, found.organizationId, "Manage Teams") && refusals.denied("Manage Teams"),
  );
  return {
    actor,
    method: "DELETE",
    path: "/identity/teams/" + id,
    expected: either(refusal, { status: 204 }),
    learn: () => {
      if (refusal !== undefined || found === undefined) return;
      found.deleted = true;
      endLinksOf(model, "team", id, model.people[actor].id);
    },
  };
});

export const teamCommands = [create, create, remove];
