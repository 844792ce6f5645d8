import fc from "fast-check";
import { type Body, compare } from "./compare.ts";
import type { Actor, Model } from "./model.ts";
import type { Real, RestResponse } from "./real.ts";
import type { Refusal } from "./refusals.ts";

/** The required response: an error, or a success whose body equals `body` of the received one. */
export type Expected = { readonly refusal: Refusal } | Success;

export interface Success {
  readonly status: number;
  readonly body?: Shape;
}

/** Returns the whole expected body; values that the system chooses are copied from the received one. */
export type Shape = (received: Body) => unknown;

/** One REST call, and its expected result. */
export interface Step {
  readonly actor: Actor;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** After `/api`. */
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
