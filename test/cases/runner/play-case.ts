import { waitFor } from "@cloud/testkit";
import { createReplyCheck } from "../../../gateway/test/openapi/check-reply.ts";
import { readOpenapi } from "../../../gateway/test/openapi/read-document.ts";
import { callRest, type Headers } from "./call.ts";
import type { Case, CaseFile, Expectation, Mapping, RestRequest, Surface } from "./case-file.ts";
import { deriveRestRequest } from "./derive-rest-request.ts";
import { fillIn } from "./fill-in.ts";
import { findMethod } from "./find-method.ts";
import { judgeRest, judgeRpc, type Outcome } from "./judge.ts";
import { judgeEvents, readLog } from "./log.ts";
import { type Play, type Player, startPlay } from "./player.ts";
import { setUp } from "./set-up.ts";

/** A case whose `given` is done: it remains to call, and to judge the result. */
export interface PreparedCase {
  readonly play: Play;
  /** Calls once. */
  call(): Promise<Outcome>;
  /** Adds to the outcome of `call` what appears only a moment later: effects of events, the lines of the log. */
  judge(called: Outcome): Promise<Outcome>;
  /** Creates the error of a failed case, with all details. */
  explain(outcome: Outcome): Error;
}

/**
 * Sets up what is given for one play of a case, on one surface, or takes what another play of the same case has left.
 * Throws an Error with the case's name if that fails.
 */
export async function prepareCase(
  player: Player,
  { file, rpc }: CaseFile,
  played: Case,
  surface: Surface,
  left?: Play,
): Promise<PreparedCase> {
  const where = `${file} › ${played.name} [${surface.toUpperCase()}]`;
  const named = <T>(doing: Promise<T>) =>
    doing.catch((cause: unknown): never => {
      throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
  const play = left ?? (await named(setUpCase(player, played)));
  const prepared = await named(prepare(play, rpc, played, surface));
  return {
    play,
    call: () => named(prepared.call()),
    judge: (called) => named(prepared.judge(called)),
    explain: ({ differences, ...outcome }) => {
      const [expected, got] = [outcome.expected, outcome.got].map((value) => JSON.stringify(value));
      return new Error([where, ...differences, `expected: ${expected}`, `got:      ${got}`].join("\n  "));
    },
  };
}

/**
 * Plays a case on one surface, with its own given records or the records that another play has left. Throws an Error
 * with all details if it fails.
 */
export async function playCase(
  player: Player,
  file: CaseFile,
  played: Case,
  surface: Surface,
  left?: Play,
): Promise<Play> {
  const prepared = await prepareCase(player, file, played, surface, left);
  const outcome = await prepared.judge(await prepared.call());
  if (outcome.differences.length > 0) throw prepared.explain(outcome);
  return prepared.play;
}

/** Creates what is given for one play of a case. */
export async function setUpCase(player: Player, played: Case): Promise<Play> {
  const play = startPlay(player);
  for (const step of played.given) await setUp(play, step);
  return play;
}

async function prepare(play: Play, rpc: string, played: Case, surface: Surface) {
  const logged = played.events === undefined ? [] : await readLog(play, played.log);
  const headers = { ...fillIn(played.headers, play.variables), ...play.headersAs(played.as) };
  const expected = fillIn(played.expect, play.variables);
  const call = async () => (surface === "rest" ? playRest : playRpc)(play, rpc, played, headers, expected);
  const judge = async (called: Outcome): Promise<Outcome> => {
    const outcome = played.eventually && called.differences.length > 0 ? await repeat(call) : called;
    if (played.events === undefined || outcome.differences.length > 0) return outcome;
    return (await judgeEvents(play, played.log, played.events, logged)) ?? outcome;
  };
  return { call, judge };
}

/** Calls until the outcome is as expected, or for 5 s. Returns the last one. */
async function repeat(call: () => Promise<Outcome>): Promise<Outcome> {
  const right = async () => {
    const outcome = await call();
    return outcome.differences.length === 0 ? outcome : undefined;
  };
  return waitFor(right, { deadlineMs: 30_000 }).catch(call);
}

type PlaySurface = (play: Play, rpc: string, played: Case, headers: Headers, expected: Expectation) => Promise<Outcome>;

const checkReply = createReplyCheck(readOpenapi());

const playRest: PlaySurface = async (play, rpc, played, headers, expected) => {
  const request = writtenRequest(played.rest, play) ?? derivedRequest(rpc, played.request, play);
  const got = await callRest(play.gateway, request, headers);
  rememberReply(play, got.body);
  const undocumented = checkReply(request.method, `/api${request.path.replace(/\?.*/s, "")}`, got);
  const differences = [...judgeRest(expected, got), ...undocumented.map((fault) => `OpenAPI: ${fault}`)];
  return { expected, got: { status: got.status, body: got.body }, differences };
};

/** Fills in a request as the case writes it: the path, and a body of text, may contain `$NAME` without braces. */
function writtenRequest(rest: RestRequest | undefined, play: Play): RestRequest | undefined {
  if (rest === undefined) return undefined;
  const brace = (text: string) => text.replace(/\$([A-Za-z]\w*)/g, "$${$1}");
  const { path, body } = rest;
  return fillIn({ ...rest, path: brace(path), body: typeof body === "string" ? brace(body) : body }, play.variables);
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
