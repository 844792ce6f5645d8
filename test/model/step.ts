import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Actor, Model } from "./model.ts";
import type { Refusal } from "./refusals.ts";

/** The required response: an error, or a success whose body equals `body` of the received one. */
export type Expected = { readonly refusal: Refusal } | Success;

export interface Success {
  readonly status: number;
  readonly body?: Shape;
}

/** Returns the whole expected body; values that the system chooses are copied from the received one. */
export type Shape = (received: Body) => unknown;

/** A REST call, and its expected result. */
interface Step {
  readonly actor: Actor;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path after `/api`. */
  readonly path: string;
  /** Undefined: none. */
  readonly body?: unknown;
  /** More than one if the outcome depends on an event in transit. */
  readonly expected: readonly Expected[];
  /** Updates the model; called after the response has matched an expected one. */
  readonly learn?: (response: RestResponse) => void;
}

export type Command = fc.AsyncCommand<Model, Real>;

/** Creates a command from generated values: `plan` reads the model when the command runs. */
export function command<Values extends object>(
  name: string,
  values: fc.Arbitrary<Values>,
  plan: (model: Model, values: Values) => Step,
): fc.Arbitrary<Command> {
  return values.map((chosen) => ({
    check: () => true,
    run: async (model, real) => {
      const step = plan(model, chosen);
      const response = await real.send(model.people[step.actor].token, step);
      compare(step, response, real.trace);
      step.learn?.(response);
    },
    toString: () => name + " " + fc.stringify(chosen),
  }));
}

/** Returns the first refusal that applies: the order of the arguments is the order of the checks. */
export const firstOf = (...refusals: readonly (Refusal | false | undefined)[]): Refusal | undefined =>
  refusals.find((refusal): refusal is Refusal => refusal !== undefined && refusal !== false);

/** Returns the refusal if there is one, otherwise the success. */
export const either = (refusal: Refusal | undefined, success: Expected): readonly Expected[] => [
  refusal === undefined ? success : { refusal },
];

export interface RestResponse {
  readonly status: number;
  readonly location: string | undefined;
  /** The parsed JSON; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly body: any;
}

/** The REST side. Counts its calls, and records the calls of a sequence for the report of a counter-example. */
export interface Real {
  send(token: string, step: Pick<Step, "method" | "path" | "body">): Promise<RestResponse>;
  readonly trace: readonly string[];
}

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

/** Returns the tag if it is not `before`; otherwise a text that differs from it and names the expectation. */
export const chosenTag = (value: unknown, before = ""): string =>
  typeof value === "string" && TAG.test(value) && value !== before ? value : "a tag other than " + before;

const show = (status: number, body: unknown): string => String(status) + " " + fc.stringify(body);
