import fc from "fast-check";
import type { Line, Model, Workspace } from "./model.ts";
import { isMember } from "./permissions.ts";
import * as refusals from "./refusals.ts";
import { type Body, command, either, firstOf } from "./step.ts";
import { anyActor, anyTarget, idOf } from "./targets.ts";

/** The log lines written by events: of links whose resource was deleted. */
export const endingLines = ({ links }: Workspace): Line[] =>
  links.flatMap(({ kind, resourceId, endedBy }) =>
    endedBy === undefined
      ? []
      : [
          {
            action: "unassign",
            severity: "success",
            actedUpon: resourceId,
            actedUponKind: kind,
            owner: endedBy,
            metadata: { reason: "deleted" },
            comes: "by event",
          },
        ],
  );

/** Whether the line was written by an event, and so may appear at any time. */
const cameByEvent = (line: Body): boolean => line?.metadata?.reason === "deleted";

/**
 * Returns the expected log, oldest line first: all lines of calls, in their order, and the lines of events received so
 * far.
 */
function logOf(workspace: Workspace, received: readonly Body[]): unknown[] {
  const due = [...workspace.log.filter(({ comes }) => comes !== undefined), ...endingLines(workspace)];
  const left = workspace.log.filter(({ comes }) => comes === undefined);
  return received.map((line) => {
    const expected = cameByEvent(line)
      ? due.splice(due.findIndex(({ actedUpon }) => actedUpon === line.actedUpon) >>> 0, 1)[0]
      : left.shift();
    return expected && lineBody(line, workspace, expected);
  });
}

function lineBody(received: Body, workspace: Workspace, { comes: _comes, ...line }: Line) {
  const { id, createdAt, description } = received;
  return {
    id,
    createdAt,
    description,
    workspaceId: workspace.id,
    organizationId: workspace.organizationId,
    category: "workspace",
    ...line,
  };
}

/** The log outlives its workspace. */
const get = command(
  "list events of workspace",
  fc.record({ actor: anyActor, workspace: anyTarget }),
  (model, { actor, workspace }) => {
    const id = idOf(model, actor, model.workspaces, workspace);
    const found = model.workspaces.find((one) => one.id === id && isMember(model, actor, one.organizationId));
    const refusal = firstOf(actor === "anonymous" && refusals.UNAUTHENTICATED, !found && refusals.WORKSPACE_NOT_FOUND);
    const path = "/workspaces/" + id + "/events?pageSize=100&order=created_at+asc";
    const body = (received: Body) => found && logPage(found, received);
    return { actor, method: "GET", path, expected: either(refusal, { status: 200, body }) };
  },
);

export function logPage(workspace: Workspace, received: Body) {
  const data: readonly Body[] = Array.isArray(received?.data) ? received.data : [];
  const lines = logOf(workspace, data);
  const calls = workspace.log.filter(({ comes }) => comes === undefined).length;
  const byEvent = data.filter(cameByEvent).length;
  return { page: 0, pageSize: 100, totalCount: calls + byEvent, data: lines };
}

export const logCommands = [get, get];

/** Returns the least and the greatest number of lines in each final log. */
export const lineCounts = (model: Model): ReadonlyMap<string, readonly [number, number]> =>
  new Map(
    model.workspaces.map((workspace) => {
      const { log } = workspace;
      const sure = log.filter(({ comes }) => comes !== "perhaps").length + endingLines(workspace).length;
      return [workspace.id, [sure, sure + log.filter(({ comes }) => comes === "perhaps").length]];
    }),
  );
