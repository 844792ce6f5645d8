import { waitFor } from "@cloud/testkit";
import type { ExpectedEvent, Mapping } from "./case-file.ts";
import { fillIn } from "./fill-in.ts";
import { findDifferences } from "./find-differences.ts";
import type { Outcome } from "./judge.ts";
import type { Play } from "./player.ts";

/** Returns the log of a workspace, oldest first; empty while the workspace does not exist. */
export async function readLog(play: Play, name: string): Promise<readonly Mapping[]> {
  const id = play.variables.get(name);
  if (id === undefined && name === "reply") return [];
  if (id === undefined) throw new Error(`no workspace "${name}" whose log could be looked at; say which with "log"`);
  const rpc = "workspace.v1.WorkspaceService/ListWorkspaceEvents";
  const { data } = await play.must(rpc, { id, order: "created_at asc", pageSize: 100 }, play.headersAs("service"));
  return data as Mapping[];
}

/**
 * Returns the outcome if the log has other new lines than expected, otherwise undefined. Waits, because the end of a
 * link whose resource was deleted is logged by an event, a moment later.
 */
export async function judgeEvents(
  play: Play,
  log: string,
  events: readonly ExpectedEvent[],
  before: readonly Mapping[],
): Promise<Outcome | undefined> {
  const known = new Set(before.map(({ id }) => id));
  const readNew = async () => (await readLog(play, log)).filter(({ id }) => !known.has(id));
  const enough = async () => ((await readNew()).length >= events.length ? true : undefined);
  await waitFor(enough, { deadlineMs: 30_000 }).catch(() => undefined);
  const lines = await readNew();
  const expected = fillIn(events, play.variables);
  const got = lines.map((line, index) => (typeof events[index] === "object" ? line : abridge(line)));
  const differences = findDifferences(expected, got, { absentIsNull: true }, "events");
  return differences.length === 0 ? undefined : { expected, got, differences };
}

const abridge = ({ action, actedUponKind, severity }: Mapping): string => `${action} ${actedUponKind} ${severity}`;
