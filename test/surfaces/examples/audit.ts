import { refuse, refuseUser } from "./refusals.ts";
import type { SurfaceExample } from "./surface-example.ts";

export const audit: Readonly<Record<string, SurfaceExample>> = {
  "identity.v1.AuditService/ListAuditEvents": {
    given: ["organization", "invitation"],
    succeeds: { organizationId: "$organization", pageSize: 10 },
    fails: [
      refuse("INVALID_PARAMETER", { organizationId: "$organization", cursor: "x" }),
      refuse("INVALID_PARAMETER", { organizationId: "$organization", pageSize: -1 }),
      refuse("ORGANIZATION_NOT_FOUND", { organizationId: "$second" }),
      refuseUser({ organizationId: "$first" }),
    ],
  },
};
