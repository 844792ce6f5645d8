import type { RestCalls, RestResponse } from "../rest.ts";
import type { Operation } from "./promised-permissions.ts";

/** The target of a tried operation: an organization, and one of each record that can be assigned in it. */
export interface Place {
  readonly organizationId: string;
  readonly teamId: string;
  readonly environmentId: string;
  readonly designId: string;
  readonly viewId: string;
  readonly connectionId: string;
}

/** Creates the place, as the operator. */
export async function preparePlace(system: RestCalls, organizationId: string, owner: string): Promise<Place> {
  const make = (path: string) => created(system, path, { organizationId, owner });
  const [teamId, environmentId, designId, viewId, connectionId] = await Promise.all([
    make("/identity/teams"),
    make("/environments"),
    make("/designs"),
    make("/views"),
    make("/connections"),
  ]);
  return { organizationId, teamId, environmentId, designId, viewId, connectionId };
}

/** Tries an operation on a fresh target, so that earlier tries have no influence. */
export async function tryOperation(
  system: RestCalls,
  caller: RestCalls,
  { name }: Operation,
  place: Place,
): Promise<RestResponse> {
  const { organizationId } = place;
  const [method = "", pattern = ""] = name.split(" ");
  const owner = pattern.startsWith("/environments") ? "/environments" : "/workspaces";
  const isNeeded = pattern.includes("{id}") || pattern.endsWith("/preferences");
  const id = isNeeded ? await created(system, owner, { organizationId }) : "";
  const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) => (key === "id" ? id : place[key as keyof Place]));
  if (method === "DELETE" && pattern.split("{").length === 3) await assigned(system, path);
  switch (method) {
    case "GET":
      return caller.get(/^\/\w+$/.test(path) ? path + "?orgId=" + organizationId : path);
    case "POST":
      return pattern.includes("{") ? caller.post(path) : caller.post(path, { organizationId });
    case "PUT":
      return caller.put(path, pattern.endsWith("/preferences") ? selecting(place, id) : RENAMED);
    default:
      return caller.delete(path);
  }
}

const RENAMED = { name: "Renamed", description: "By the permission matrix" };

const selecting = ({ organizationId }: Place, id: string) => ({
  selectedOrganization: organizationId,
  selectedWorkspace: id,
});

async function created(system: RestCalls, path: string, body: unknown): Promise<string> {
  const response = await system.post(path, body);
  if (response.status !== 201) throw new Error("cannot prepare " + path + ": " + JSON.stringify(response.body));
  return response.body.id;
}

async function assigned(system: RestCalls, path: string): Promise<void> {
  const response = await system.post(path);
  if (response.status !== 200) throw new Error("cannot prepare " + path + ": " + JSON.stringify(response.body));
}
