import fc from "fast-check";
import { type Body, compare } from "./compare.ts";
import type { Actor, Model } from "./model.ts";
import type { Answer, Real } from "./real.ts";
import type { Refusal } from "./refusals.ts";

/** The answer that must come: an error, or a success whose body is `body` of what was received. */
export type Expected = { readonly refusal: Refusal } | Success;

export interface Success {
  readonly status: number;
  readonly body?: Shape;
}

/** Gives the whole body that must have come, taking over from the received one what the system chooses. */
export type Shape = (received: Body) => unknown;

/** One REST call, and what it should do. */
export interface Step {
  readonly actor: Actor;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** After `/api`. */
  readonly path: string;
  /** Undefined: none. */
  readonly body?: unknown;
  /** More than one where an event that is under way decides. */
  readonly expected: readonly Expected[];
  /** Changes the model; called after the answer was found to be one of the expected. */
  readonly learn?: (answer: Answer) => void;
}

export type Command = fc.AsyncCommand<Model, Real>;

/** A command from generated values: `plan` looks at the model when the command's turn comes. */
export function command<Values extends object>(
  name: string,
  values: fc.Arbitrary<Values>,
  plan: (model: Model, values: Values) => Step,
): fc.Arbitrary<Command> {
  return values.map((chosen) => ({
    check: () => true,
    run: async (model, real) => {
      const step = plan(model, chosen);
      const answer = await real.send(model.people[step.actor].token, step);
      compare(step, answer, real.trace);
      step.learn?.(answer);
    },
    toString: () => name + " " + fc.stringify(chosen),
  }));
}

/** The first refusal that applies: the order of the arguments is the order of the checks. */
export const firstOf = (...refusals: readonly (Refusal | false | undefined)[]): Refusal | undefined =>
  refusals.find((refusal): refusal is Refusal => refusal !== undefined && refusal !== false);

/** The refusal where there is one, else the success. */
export const either = (refusal: Refusal | undefined, success: Expected): readonly Expected[] => [
  refusal === undefined ? success : { refusal },
];
