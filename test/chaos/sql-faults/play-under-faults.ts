import { codeOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Random } from "@cloud/testkit/figures";
import {
  type Case,
  type CaseFile,
  type Outcome,
  type Player,
  type PreparedCase,
  prepareCase,
  readCaseFiles,
  type Surface,
} from "../../cases/runner/index.ts";
import { mapAtOnce } from "../system/map-at-once.ts";
import { MARK } from "./statement-faults.ts";

/** A case on one surface. */
export interface Planned {
  readonly file: CaseFile;
  readonly played: Case;
  readonly surface: Surface;
}

export interface Verdicts {
  /** Calls with the outcome that the case expects. */
  correct: number;
  /** Calls with 503 or 504, the text of the catalogue and nothing else. */
  unavailable: number;
  /** Refusals as the case expects, which could not be written to the workspace's log. */
  unwritten: number;
  /** Everything else. */
  readonly wrong: string[];
  /** Responses that contain the text of an injected error. */
  readonly leaks: string[];
}

/** Returns every case that can be played on the surface. */
export function planCases(surface: Surface): Planned[] {
  return everyCase()
    .filter(({ played }) => played.surfaces.includes(surface))
    .map((one) => ({ ...one, surface }));
}

/** Returns every case once: on a random surface if it has both. */
export function planEachOnce(random: Random): Planned[] {
  return everyCase().map((one) => ({ ...one, surface: random.pick(one.played.surfaces as [Surface, ...Surface[]]) }));
}

function everyCase(): Omit<Planned, "surface">[] {
  return readCaseFiles().flatMap((file) => {
    if ("refused" in file) throw file.refused;
    return file.cases.map((played) => ({ file, played }));
  });
}

/** Cases mostly wait for each other's responses; more at once than this gains nothing on two cores. */
const CONCURRENCY = 8;

/**
 * Plays cases in groups of 100: the given state without faults, the calls under `faults`, and the checks of their
 * results without faults again.
 */
export async function playUnderFaults(
  player: Player,
  plan: readonly Planned[],
  faults: (calls: () => Promise<void>) => Promise<void>,
): Promise<Verdicts> {
  const verdicts: Verdicts = { correct: 0, unavailable: 0, unwritten: 0, wrong: [], leaks: [] };
  for (let first = 0; first < plan.length; first += 100) {
    const group = plan.slice(first, first + 100);
    const prepared = await mapAtOnce(CONCURRENCY, group, ({ file, played, surface }) =>
      prepareCase(player, file, played, surface),
    );
    const called: Outcome[] = [];
    await faults(async () => void called.push(...(await mapAtOnce(CONCURRENCY, prepared, (one) => one.call()))));
    const judged = prepared.map((one, index) => ({
      one,
      outcome: called[index] as Outcome,
      plan: group[index] as Planned,
    }));
    await mapAtOnce(CONCURRENCY, judged, ({ one, outcome, plan }) => judge(verdicts, one, outcome, plan.played));
  }
  return verdicts;
}

async function judge(verdicts: Verdicts, prepared: PreparedCase, called: Outcome, played: Case): Promise<void> {
  if (JSON.stringify(called.got).includes(MARK.slice(0, 14))) verdicts.leaks.push(prepared.explain(called).message);
  if (isUnavailable(called.got, played.rest?.method)) {
    verdicts.unavailable++;
    return;
  }
  const outcome = await prepared.judge(called).catch((error: Error) => error);
  if (outcome instanceof Error) {
    verdicts.wrong.push(outcome.message);
    return;
  }
  if (outcome.differences.length === 0) verdicts.correct++;
  // The response is the operation's error, whether or not it could be logged (record-failure.ts).
  else if (outcome !== called && played.expect.error !== undefined) verdicts.unwritten++;
  else verdicts.wrong.push(prepared.explain(outcome).message);
}

/** Exactly the catalogue's error for an unavailable database, by REST (where HEAD has no body) or by RPC. */
function isUnavailable(got: unknown, method: string | undefined): boolean {
  const { status, body, failure } = got as { status?: number; body?: object; failure?: object };
  return [Reason.UNAVAILABLE, Reason.DEADLINE_EXCEEDED].some((reason) => {
    const { message: error, httpStatus } = ruleOf(reason);
    const promised = { error, code: codeOf(reason) };
    if (failure !== undefined)
      return JSON.stringify({ ...failure, rpc: "" }) === JSON.stringify({ rpc: "", ...promised });
    if (method === "HEAD") return status === httpStatus && body === undefined;
    const { requestId, ...rest } = (body ?? {}) as { requestId?: unknown };
    return status === httpStatus && typeof requestId === "string" && JSON.stringify(rest) === JSON.stringify(promised);
  });
}
