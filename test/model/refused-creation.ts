import type { Actor, Model } from "./model.ts";
import { holds, isMember, type Permission } from "./permissions.ts";
import * as refusals from "./refusals.ts";
import { firstOf } from "./step.ts";

const UUID = /^[0-9a-f-]{36}$/;

/** Returns why the actor may not create something in the requested organization. */
export const refusedCreation = (model: Model, actor: Actor, organizationId: string, permission: Permission) =>
  firstOf(
    actor === "anonymous" && refusals.UNAUTHENTICATED,
    organizationId === "" && refusals.ORGANIZATION_ID_REQUIRED,
    !UUID.test(organizationId) && refusals.ORGANIZATION_ID_INVALID,
    !(isMember(model, actor, organizationId) && holds(model, actor, organizationId, permission)) &&
      refusals.denied(permission),
  );
