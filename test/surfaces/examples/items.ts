import { outdated, refuse, refuseUser } from "./refusals.ts";
import { inFirst, list } from "./requests.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const itemExamples = (kind: "design" | "view"): Readonly<Record<string, SurfaceExample>> => {
  const [Kind, KIND] = kind === "design" ? ["Design", "DESIGN"] : ["View", "VIEW"];
  const service = "workspace.v1." + Kind + "Service/";
  const id = "$" + kind;
  return {
    [service + "Create" + Kind]: {
      succeeds: { ...inFirst, visibility: "published" },
      fails: [
        refuse("INVALID_PARAMETER", { ...inFirst, visibility: "secret" }),
        refuse("ORGANIZATION_ID_REQUIRED", {}),
        refuse("ORGANIZATION_ID_INVALID", { organizationId: "x" }),
      ],
    },
    [service + "Get" + Kind]: {
      given: [kind],
      succeeds: { id },
      fails: [refuse(KIND + "_NOT_FOUND", { id: "$nowhere" })],
    },
    [service + "List" + Kind + "s"]: {
      given: [kind],
      succeeds: { orgId: "$first", visibility: ["public", "published"], ...list },
      fails: [
        refuse("ORG_ID_REQUIRED", {}),
        refuse("INVALID_PARAMETER", { orgId: "$first", order: "size" }),
        { as: "providerAdmin", reason: "ORGANIZATION_NOT_FOUND", request: { orgId: "$nowhere" } },
      ],
    },
    [service + "Update" + Kind]: {
      given: [kind],
      succeeds: { id, visibility: "private" },
      fails: [
        outdated({ id }),
        refuse("INVALID_PARAMETER", { id, name: "$long" }),
        refuse(KIND + "_NOT_FOUND", { id: "$nowhere", visibility: "private" }),
      ],
    },
    [service + "Delete" + Kind]: {
      given: [kind],
      succeeds: { id },
      fails: [outdated({ id }), refuseUser({ id }), refuse(KIND + "_NOT_FOUND", { id: "$nowhere" })],
    },
  };
};
