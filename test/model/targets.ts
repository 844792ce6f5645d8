import fc from "fast-check";
import { ACTORS, type Actor, type Item, live, type Model } from "./model.ts";

/** A well-formed id without a record. */
export const NOWHERE = "01890000-0000-7000-8000-000000000000";
const MALFORMED = "no-id";

/** The record that a command targets, chosen before the records are known. */
export interface Target {
  readonly where: "home" | "abroad" | "deleted" | "nowhere" | "malformed";
  /** Counted from the newest, cyclically. */
  readonly index: number;
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** Mostly users with permission; shrinks towards the Org Admin. */
export const anyActor: fc.Arbitrary<Actor> = fc.constantFrom(
  ...times(8, ACTORS[0]),
  ...times(8, ACTORS[1]),
  ...times(4, "providerAdmin" as const),
  ...ACTORS.slice(2),
);

export const anyTarget: fc.Arbitrary<Target> = fc.record({
  where: fc.constantFrom<Target["where"]>(...times(16, "home" as const), "abroad", "deleted", "nowhere", "malformed"),
  index: fc.nat(4),
});

/** Returns the home organization of an actor, or the other one. */
const homeOf = ({ organizations }: Model, actor: Actor): string => organizations[actor === "outsider" ? 1 : 0];
const abroadOf = ({ organizations }: Model, actor: Actor): string => organizations[actor === "outsider" ? 0 : 1];

/** Returns the id of the record, or an unknown one if there is no such record. */
export function idOf(model: Model, actor: Actor, items: readonly Item[], { where, index }: Target): string {
  const choose = (among: readonly Item[]) => among.at(-1 - (index % Math.max(among.length, 1)))?.id ?? NOWHERE;
  switch (where) {
    case "home":
      return choose(live(items, homeOf(model, actor)));
    case "abroad":
      return choose(live(items, abroadOf(model, actor)));
    case "deleted":
      return choose(items.filter((item) => item.deleted));
    case "nowhere":
      return NOWHERE;
    case "malformed":
      return MALFORMED;
    default:
      return where satisfies never;
  }
}

export type Scope = "home" | "abroad" | "nowhere" | "malformed" | "missing";

export const anyScope: fc.Arbitrary<Scope> = fc.constantFrom<Scope>(
  ...times(14, "home" as const),
  "abroad",
  "nowhere",
  "malformed",
  "missing",
);

/** Returns the organization id of a request; empty for a missing one. */
export function organizationOf(model: Model, actor: Actor, scope: Scope): string {
  const ids = { nowhere: NOWHERE, malformed: MALFORMED, missing: "" };
  return scope === "home" ? homeOf(model, actor) : scope === "abroad" ? abroadOf(model, actor) : ids[scope];
}

const NAMES = ["alpha", "Beta", "ALPHABET", "50%", "a_b", "Äpfel", "Οδόσημα ΟΔΟΣ", "😀".repeat(200), ""];
const TOO_LONG = "x".repeat(256);

/** A name or a description; the tag is prepended. */
export const anyText = fc.constantFrom(...times(2, NAMES).flat(), TOO_LONG);
export const isTooLong = (...texts: readonly (string | undefined)[]): boolean => texts.includes(TOO_LONG);
/** Returns the text to send: empty and maximum-length texts as they are, others marked with the tag. */
export const tagged = ({ tag }: Model, text: string): string =>
  text === "" || text === TOO_LONG ? text : tag + " " + text;

/**
 * The members whose roles are changed: rarely the ones with the most permissions, or soon no user could do anything.
 * The Provider Admin is shared by all sequences.
 */
export const anyMember = fc.constantFrom<Actor>(
  ...times(3, "user" as const),
  ...times(3, "teamAdmin" as const),
  ...times(3, "outsider" as const),
  "workspaceAdmin",
  "orgAdmin",
);
