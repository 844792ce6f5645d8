import { waitFor } from "@cloud/testkit";
import { compare } from "./compare.ts";
import { organizationPage, workspacePage } from "./list-commands.ts";
import type { ListQuery } from "./list-query.ts";
import { endingLines, lineCounts, logPage } from "./log-commands.ts";
import { type LinkKind, live, type Model, type Workspace } from "./model.ts";
import type { Answer, Real } from "./real.ts";
import type { Shape } from "./step.ts";

const ALL: ListQuery = { search: undefined, order: undefined, page: undefined, pageSize: "100" };
const LINK_KINDS: readonly LinkKind[] = ["team", "environment"];

/**
 * Compares what is left at the end of a sequence with the model: the lists at once, the logs when the lines that come
 * by event have come.
 *
 * @throws Error that shows the first difference.
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

/** The longest, and those with lines that come by event; commands read the others now and then. */
function logsToRead({ workspaces }: Model): readonly Workspace[] {
  const [longest, ...others] = workspaces.toSorted((a, b) => b.log.length - a.log.length);
  const byEvent = others.filter(
    (one) => endingLines(one).length > 0 || one.log.some(({ comes }) => comes !== undefined),
  );
  return longest === undefined ? byEvent : [longest, ...byEvent];
}

async function auditLog(model: Model, real: Real, workspace: Workspace, [least, most]: readonly [number, number]) {
  const path = "/workspaces/" + workspace.id + "/events?pageSize=100&order=created_at+asc";
  const { body } = await waitFor(
    async () => {
      const answer = await read(model, real, path, (received) => logPage(workspace, received));
      return answer.body.totalCount >= least ? answer : undefined;
    },
    { deadlineMs: 10_000 },
  );
  if (body.totalCount > most) throw new Error("expected " + path + " to hold at most " + String(most) + " lines");
}

/** Whose lists are compared: a Provider Admin's, who sees both organizations. */
async function read(model: Model, real: Real, path: string, body: Shape): Promise<Answer> {
  const step = { actor: "providerAdmin", method: "GET", path, expected: [{ status: 200, body }] } as const;
  const answer = await real.send(model.people.providerAdmin.token, step);
  compare(step, answer, real.trace);
  return answer;
}
