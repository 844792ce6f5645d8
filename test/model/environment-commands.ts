import fc from "fast-check";
import { type Actor, type Environment, endLinksOf, find, type Model } from "./model.ts";
import { holds, isMember } from "./permissions.ts";
import { changed, environmentBody, newItem } from "./records.ts";
import * as refusals from "./refusals.ts";
import { refusedCreation } from "./refused-creation.ts";
import { command, either, firstOf } from "./step.ts";
import { anyActor, anyScope, anyTarget, anyText, idOf, isTooLong, organizationOf, tagged } from "./targets.ts";

function visibleEnvironment(model: Model, actor: Actor, id: string): Environment | undefined {
  const environment = find(model.environments, id);
  return environment !== undefined && isMember(model, actor, environment.organizationId) ? environment : undefined;
}

const create = command(
  "create environment",
  fc.record({ actor: anyActor, scope: anyScope, name: anyText, description: anyText }),
  (model, { actor, scope, ...texts }) => {
    const organizationId = organizationOf(model, actor, scope);
    const body = { name: tagged(model, texts.name), description: tagged(model, texts.description) };
    const made = (received: unknown): Environment => ({
      ...newItem(received, organizationId, body),
      platformProvisioned: false,
    });
    const refusal = firstOf(
      refusedCreation(model, actor, organizationId, "Create Environment"),
      isTooLong(...Object.values(texts)) && refusals.ENVIRONMENT_CREATE_FAILED,
    );
    return {
      actor,
      method: "POST",
      path: "/environments",
      // Clients can never set it.
      body: { organizationId, ...body, platformProvisioned: true },
      expected: either(refusal, { status: 201, body: (received) => environmentBody(made(received)) }),
      learn: (response) => {
        if (refusal === undefined) model.environments.push(made(response.body));
      },
    };
  },
);

const get = command(
  "get environment",
  fc.record({ actor: anyActor, environment: anyTarget }),
  (model, { actor, environment }) => {
    const id = idOf(model, actor, model.environments, environment);
    const found = visibleEnvironment(model, actor, id);
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      !found && refusals.ENVIRONMENT_NOT_FOUND,
    );
    const expected = either(refusal, { status: 200, body: () => found && environmentBody(found) });
    return { actor, method: "GET", path: "/environments/" + id, expected };
  },
);

/** Both texts are replaced: an omitted one becomes empty. Undefined and null mean no body and `null`. */
const anyReplacement = fc.oneof(
  fc.record({ name: anyText, description: anyText }, { requiredKeys: [] }),
  fc.constantFrom(undefined, null),
);

const update = command(
  "update environment",
  fc.record({ actor: anyActor, environment: anyTarget, change: anyReplacement }),
  (model, { actor, environment, change }) => {
    const id = idOf(model, actor, model.environments, environment);
    const found = visibleEnvironment(model, actor, id);
    const { name = "", description = "" } = change ?? {};
    const texts = { name: tagged(model, name), description: tagged(model, description) };
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      !change && refusals.ENVIRONMENT_UPDATE_EMPTY,
      !found && refusals.ENVIRONMENT_NOT_FOUND,
      found && !holds(model, actor, found.organizationId, "Edit Environment") && refusals.denied("Edit Environment"),
      isTooLong(name, description) && refusals.ENVIRONMENT_UPDATE_FAILED,
    );
    const body = change && Object.fromEntries(Object.entries(change).map(([key, text]) => [key, tagged(model, text)]));
    return {
      actor,
      method: "PUT",
      path: "/environments/" + id,
      body,
      expected: either(refusal, {
        status: 200,
        body: (received) => found && environmentBody(changed(found, received, texts)),
      }),
      learn: (response) => {
        if (refusal === undefined && found) Object.assign(found, changed(found, response.body, texts));
      },
    };
  },
);

const remove = command(
  "delete environment",
  fc.record({ actor: anyActor, environment: anyTarget }),
  (model, { actor, environment }) => {
    const id = idOf(model, actor, model.environments, environment);
    const found = visibleEnvironment(model, actor, id);
    const permission = "Delete Environment";
    const refusal = firstOf(
      actor === "anonymous" && refusals.UNAUTHENTICATED,
      !found && refusals.ENVIRONMENT_TO_DELETE_NOT_FOUND,
      found && !holds(model, actor, found.organizationId, permission) && refusals.denied(permission),
      found?.platformProvisioned && refusals.ENVIRONMENT_NOT_DELETABLE,
    );
    return {
      actor,
      method: "DELETE",
      path: "/environments/" + id,
      expected: either(refusal, { status: 204 }),
      learn: () => {
        if (refusal !== undefined || found === undefined) return;
        found.deleted = true;
        endLinksOf(model, "environment", id, model.people[actor].id);
      },
    };
  },
);

export const environmentCommands = [create, create, create, get, update, remove];
