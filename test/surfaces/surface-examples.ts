import { audit } from "./examples/audit.ts";
import { environments } from "./examples/environments.ts";
import { invitations } from "./examples/invitations.ts";
import { itemExamples } from "./examples/items.ts";
import { organizations } from "./examples/organizations.ts";
import { people } from "./examples/people.ts";
import type { SurfaceExample } from "./examples/surface-example.ts";
import { workspaces } from "./examples/workspaces.ts";

/**
 * One success and at least one failure of every RPC that has a REST form, by `<package>.<service>/<method>`;
 * surface-equality.long.test.ts plays them by every surface and fails if one is missing.
 */
export const SURFACE_EXAMPLES: Readonly<Record<string, SurfaceExample>> = {
  ...workspaces,
  ...itemExamples("design"),
  ...itemExamples("view"),
  ...environments,
  ...organizations,
  ...invitations,
  ...audit,
  ...people,
};
