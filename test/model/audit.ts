import { waitFor } from "@cloud/testkit";
import { organizationPage, workspacePage } from "./list-commands.ts";
import type { ListQuery } from "./list-query.ts";
import { endingLines, lineCounts, logPage } from "./log-commands.ts";
import { type LinkKind, live, type Model, type Workspace } from "./model.ts";
import { compare, type Real, type RestResponse, type Shape } from "./step.ts";

const ALL: ListQuery = { search: undefined, order: undefined, page: undefined, pageSize: "100" };
const LINK_KINDS: readonly LinkKind[] = ["team", "environment"];

/**
 * Compares the final state of a sequence with the model: the lists immediately, the logs once the lines written by
 * events are there.
 *
 * @throws Error with the first difference.
 */
export async function audit(model: Model, real: Real): Promise<void> {
  for (const organization of model.organizations) {
    for (const key of ["workspaces", "environments"] as const) {
      const page = () => organizationPage(model, key, [organization], ALL);
      await read(model, real, "/" + key + "?pageSize=100&orgId=" + organization, page);
    }
    for (const workspace of live(model.workspaces, organization).filter(({ links }) => links.length > 0)) {
      for (const kind of LINK_KINDS) {
        const page = () => workspacePage(model, workspace, kind, true, ALL);
        await read(model, real, "/workspaces/" + workspace.id + "/" + kind + "s?pageSize=100", page);
      }
    }
  }
  const counts = lineCounts(model);
  for (const workspace of logsToRead(model)) await auditLog(model, real, workspace, counts.get(workspace.id) ?? [0, 0]);
}

/** Returns the longest log, and the logs with lines written by events; commands read the others now and then. */
function logsToRead({ workspaces }: Model): readonly Workspace[] {
  const [longest, ...others] = workspaces.toSorted((a, b) => b.log.length - a.log.length);
  const byEvent = others.filter(
    (one) => endingLines(one).length > 0 || one.log.some(({ comes }) => comes !== undefined),
  );
  return longest === undefined ? byEvent : [longest, ...byEvent];
}

async function auditLog(model: Model, real: Real, workspace: Workspace, [min, max]: readonly [number, number]) {
  const path = "/workspaces/" + workspace.id + "/events?pageSize=100&order=created_at+asc";
  const { body } = await waitFor(
    async () => {
      const response = await read(model, real, path, (received) => logPage(workspace, received));
      return response.body.totalCount >= min ? response : undefined;
    },
    { deadlineMs: 30_000 },
  );
  if (body.totalCount > max) throw new Error("expected " + path + " to hold at most " + String(max) + " lines");
}

/** Lists are compared as read by a Provider Admin, who sees both organizations. */
async function read(model: Model, real: Real, path: string, body: Shape): Promise<RestResponse> {
  const step = { actor: "providerAdmin", method: "GET", path, expected: [{ status: 200, body }] } as const;
  const response = await real.send(model.people.providerAdmin.token, step);
  compare(step, response, real.trace);
  return response;
}
