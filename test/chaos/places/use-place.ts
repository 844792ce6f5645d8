import type { RestResponse } from "../../e2e/rest.ts";
import { createParts, linkPaths, type Parts, type Place } from "./create-place.ts";

/**
 * Uses an organization and its records in all ways: creates new ones, links old with new, selects and lists. Deletes
 * what it created. Returns the refused operations, which should be none.
 */
export async function usePlace({ name, organization, rest, parts }: Place): Promise<string[]> {
  const complaints: string[] = [];
  const expectOk = async (what: string, responding: Promise<RestResponse>) => {
    const { status, body } = await responding;
    if (status >= 300) complaints.push(`${name}: ${what}: ${status} ${body?.error}`);
  };
  const created = await createParts(rest, organization, `${name} used`).catch((error: Error) => error.message);
  if (typeof created === "string") return [`${name}: create: ${created}`];

  // 1. Old records are linked to new ones, in both directions, and to one another.
  for (const mixed of mixturesOf(parts, created)) {
    for (const path of linkPaths(mixed)) await expectOk("POST " + path, rest.post(path));
  }
  // 2. They are selected and listed.
  const preferences = { selectedWorkspace: parts.workspace };
  await expectOk(`selection of ${parts.workspace}`, rest.put("/identity/users/preferences", preferences));
  complaints.push(...(await findUnlisted(rest, parts)).map((missing) => `${name}: ${missing} is not listed`));
  // 3. The new ones are deleted.
  for (const path of pathsOf(created)) await expectOk("DELETE " + path, rest.delete(path));
  return complaints;
}

function mixturesOf(old: Parts, fresh: Parts): Parts[] {
  return [
    { ...fresh, workspace: old.workspace, connection: old.connection },
    { ...old, workspace: fresh.workspace, connection: fresh.connection },
    old,
  ];
}

async function findUnlisted(rest: Place["rest"], parts: Parts): Promise<string[]> {
  const lists = ["teams", "environments", "designs", "views"] as const;
  const wanted = [parts.team, parts.environment, parts.design, parts.view];
  const missing: string[] = [];
  for (const [index, list] of lists.entries()) {
    const { body } = await rest.get(`/workspaces/${parts.workspace}/${list}`);
    if (!JSON.stringify(body ?? "").includes(wanted[index] ?? "")) missing.push(`${list} ${wanted[index]}`);
  }
  return missing;
}

const pathsOf = ({ workspace, team, environment, design, view, connection }: Parts): string[] => [
  `/workspaces/${workspace}`,
  `/identity/teams/${team}`,
  `/environments/${environment}`,
  `/designs/${design}`,
  `/views/${view}`,
  `/connections/${connection}`,
];
