import { waitFor } from "@cloud/testkit";
import { callRest, type Headers } from "./call.ts";
import type { Case, CaseFile, Expectation, Mapping, RestRequest, Surface } from "./case-file.ts";
import { deriveRestRequest } from "./derive-rest-request.ts";
import { fillIn } from "./fill-in.ts";
import { findMethod } from "./find-method.ts";
import { judgeRest, judgeRpc } from "./judge.ts";
import { type Play, type Player, startPlay } from "./player.ts";
import { setUp } from "./set-up.ts";

interface Outcome {
  readonly expected: unknown;
  readonly got: unknown;
  readonly differences: readonly string[];
}

/** Plays a case on one surface, on what it is given afresh. Throws an Error that tells all of it when it fails. */
export async function playCase(player: Player, { file, rpc }: CaseFile, played: Case, surface: Surface): Promise<void> {
  const where = `${file} › ${played.name} [${surface.toUpperCase()}]`;
  const outcome = await playOnce(player, rpc, played, surface).catch((cause: unknown) => {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
  if (outcome.differences.length === 0) return;
  const [expected, got] = [outcome.expected, outcome.got].map((value) => JSON.stringify(value));
  throw new Error([where, ...outcome.differences, `expected: ${expected}`, `got:      ${got}`].join("\n  "));
}

async function playOnce(player: Player, rpc: string, played: Case, surface: Surface): Promise<Outcome> {
  const play = startPlay(player);
  for (const step of played.given) await setUp(play, step);
  const logged = played.events === undefined ? [] : await readLog(play, played.log);
  const headers = { ...fillIn(played.headers, play.variables), ...play.headersAs(played.as) };
  const expected = fillIn(played.expect, play.variables);
  const outcome = await (surface === "rest" ? playRest : playRpc)(play, rpc, played, headers, expected);
  if (played.events === undefined || outcome.differences.length > 0) return outcome;
  return judgeEvents(play, played.log, played.events, logged, outcome);
}

type PlaySurface = (play: Play, rpc: string, played: Case, headers: Headers, expected: Expectation) => Promise<Outcome>;

const playRest: PlaySurface = async (play, rpc, played, headers, expected) => {
  const request = writtenRequest(played.rest, play) ?? derivedRequest(rpc, played.request, play);
  const got = await callRest(play.gateway, request, headers);
  rememberReply(play, got.body);
  return { expected, got: { status: got.status, body: got.body }, differences: judgeRest(expected, got) };
};

/** Its path may hold `$NAME` without braces. */
function writtenRequest(rest: RestRequest | undefined, play: Play): RestRequest | undefined {
  if (rest === undefined) return undefined;
  return fillIn({ ...rest, path: rest.path.replace(/\$([A-Za-z]\w*)/g, "$${$1}") }, play.variables);
}

function derivedRequest(rpc: string, request: Mapping | undefined, play: Play): RestRequest {
  return deriveRestRequest(findMethod(rpc), fillIn(request ?? {}, play.variables));
}

const playRpc: PlaySurface = async (play, rpc, played, headers, expected) => {
  const got = await play.callRpc(rpc, fillIn(played.request ?? {}, play.variables), headers);
  if ("body" in got) rememberReply(play, got.body);
  return { expected, got, differences: judgeRpc(expected, got) };
};

function rememberReply(play: Play, body: unknown): void {
  const id = (body as { id?: unknown } | undefined)?.id;
  if (typeof id === "string") play.variables.set("reply", id);
}

interface LogLine {
  readonly id: string;
  readonly text: string;
}

/** The log of a workspace, oldest first, as `action kind severity`; nothing while the workspace is not there yet. */
async function readLog(play: Play, name: string): Promise<LogLine[]> {
  const id = play.variables.get(name);
  if (id === undefined && name === "reply") return [];
  if (id === undefined) throw new Error(`no workspace "${name}" whose log could be looked at; say which with "log"`);
  const rpc = "workspace.v1.WorkspaceService/ListWorkspaceEvents";
  const { data } = await play.must(rpc, { id, order: "created_at asc", pageSize: 100 }, play.headersAs("service"));
  return (data as Mapping[]).map(({ id: event, action, actedUponKind, severity }) => ({
    id: String(event),
    text: `${action} ${actedUponKind} ${severity}`,
  }));
}

/** What ends because the other side was deleted is logged by an event, a moment later: hence the wait. */
async function judgeEvents(
  play: Play,
  log: string,
  events: readonly string[],
  before: readonly LogLine[],
  outcome: Outcome,
): Promise<Outcome> {
  const known = new Set(before.map(({ id }) => id));
  const read = async () => (await readLog(play, log)).filter(({ id }) => !known.has(id)).map(({ text }) => text);
  const enough = async () => ((await read()).length >= events.length ? true : undefined);
  await waitFor(enough, { deadlineMs: 5_000 }).catch(() => undefined);
  const got = await read();
  if (JSON.stringify(got) === JSON.stringify(events)) return outcome;
  return { expected: events, got, differences: ["the log has other new lines than expected"] };
}
