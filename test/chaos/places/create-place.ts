import { type Rest, restFor } from "../../e2e/rest.ts";
import { systemRest } from "../../e2e/system-rest.ts";
import type { System } from "../system/start-system.ts";
import { made } from "./made.ts";

/** An organization with its own user, who has all its permissions and has selected its workspace. */
export interface Place {
  readonly name: string;
  readonly organization: string;
  /** Sends requests with the user's token. */
  readonly rest: Rest;
  /** Records that are linked to one another. */
  readonly parts: Parts;
}

/** A record of each kind that can be linked. */
export interface Parts {
  readonly workspace: string;
  readonly team: string;
  readonly environment: string;
  readonly design: string;
  readonly view: string;
  readonly connection: string;
}

export async function createPlace({ demo }: System, name: string): Promise<Place> {
  const asSystem = systemRest(demo);
  const user = await made(asSystem.post("/identity/users", { email: `${name}@place.example` }));
  const token = await made(asSystem.post("/identity/tokens", { userId: user.id }));
  const organization = await made(asSystem.post("/identity/organizations", { name, owner: user.id }));
  const rest = restFor(demo, token.secret);
  const parts = await createParts(rest, organization.id, name);
  await linkParts(rest, parts);
  await made(rest.put("/identity/users/preferences", { selectedWorkspace: parts.workspace }));
  return { name, organization: organization.id, rest, parts };
}

export async function createParts(rest: Rest, organizationId: string, name: string): Promise<Parts> {
  const create = async (path: string, further: object = {}): Promise<string> =>
    (await made(rest.post(path, { organizationId, name, ...further }))).id;
  return {
    workspace: await create("/workspaces"),
    team: await create("/identity/teams"),
    environment: await create("/environments"),
    design: await create("/designs", { visibility: "private" }),
    view: await create("/views", { visibility: "private" }),
    connection: await create("/connections", { kind: "git", type: "code", status: "connected" }),
  };
}

/** Creates a link of each kind. Existing links stay as they are. */
export async function linkParts(rest: Rest, parts: Parts): Promise<void> {
  for (const path of linkPaths(parts)) await made(rest.post(path));
}

export const linkPaths = ({ workspace, team, environment, design, view, connection }: Parts): string[] => [
  `/workspaces/${workspace}/teams/${team}`,
  `/workspaces/${workspace}/environments/${environment}`,
  `/workspaces/${workspace}/designs/${design}`,
  `/workspaces/${workspace}/views/${view}`,
  `/environments/${environment}/connections/${connection}`,
];
