import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { RestResponse } from "./real.ts";
import type { Expected, Step } from "./step.ts";

// A response's body is compared field by field.
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
export type Body = any;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TAG = /^"[0-9a-f]{16}"$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** @throws Error with the step, the expected and the actual response, and the calls before. */
export function compare(step: Step, response: RestResponse, trace: readonly string[]): void {
  const differences = step.expected.map((expected) => differenceOf(expected, response));
  if (differences.includes(undefined)) return;
  throw new Error(differences.join("\nor ") + "\ncalls, the last one at fault:\n" + trace.join("\n"));
}

function differenceOf(expected: Expected, { status, body }: RestResponse): string | undefined {
  const wanted = wantedBody(expected, body);
  const wantedStatus = "refusal" in expected ? expected.refusal.status : expected.status;
  if (status === wantedStatus && isDeepStrictEqual(body, wanted)) return undefined;
  return "expected " + show(wantedStatus, wanted) + "\nreceived " + show(status, body);
}

function wantedBody(expected: Expected, received: Body): unknown {
  if ("refusal" in expected) {
    const { error, code } = expected.refusal;
    return { error, code, requestId: typeof received?.requestId === "string" ? received.requestId : "a request id" };
  }
  return expected.body?.(received);
}

/** Returns a value that the system chose if it has the right form; otherwise a text that no response contains. */
export const chosenId = (value: unknown): string => (typeof value === "string" && ID.test(value) ? value : "an id");
export const chosenTime = (value: unknown, notBefore = ""): string =>
  typeof value === "string" && TIME.test(value) && value >= notBefore ? value : "a time from " + notBefore;

/** One that is not that of the state before. */
export const chosenTag = (value: unknown, before = ""): string =>
  typeof value === "string" && TAG.test(value) && value !== before ? value : "a tag other than " + before;

const show = (status: number, body: unknown): string => String(status) + " " + fc.stringify(body);
