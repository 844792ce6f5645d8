import { describeError, type Logger } from "@cloud/telemetry";
import { NatsError } from "nats";

type Fields = Readonly<Record<string, unknown>>;

/** The configuration of a stream or durable, which other processes and operators also change. */
export interface KeptConfiguration<Expected extends Fields> {
  /** Its name in messages, such as `the stream CLOUD_EVENTS`. */
  readonly what: string;
  readonly expected: Expected;
  /** Fields that NATS refuses to update. */
  readonly fixed: readonly (keyof Expected)[];
  readonly log: Logger;
  /** Called with the difference that cannot be corrected, or with undefined when everything matches. */
  readonly report: (message: string | undefined) => void;
}

/** Compares the configuration, corrects by `update` what differs and can be updated, and returns the result. */
export type KeepConfiguration<Expected extends Fields> = (
  actual: Expected,
  update: (changes: Partial<Expected>) => Promise<Expected>,
) => Promise<Expected>;

/**
 * The most updates that each process makes within 10 minutes. Without it, two releases with different expectations
 * would revert each other's update once a second for as long as both run.
 */
const MOST_UPDATES = 10;
const UPDATE_RETURNS_MS = 600_000;

/**
 * Safe in many processes at once: all update to the same values, and the last one wins. An update that the server
 * refused is not repeated until the difference changes. Never throws: what cannot be corrected is used as it is, and
 * reported.
 */
export function createConfigurationKeeper<Expected extends Fields>({
  what,
  expected,
  fixed,
  log,
  report,
}: KeptConfiguration<Expected>): KeepConfiguration<Expected> {
  let updatesLeft = MOST_UPDATES;
  let failure = { differences: "", reason: "", isFinal: false };

  const tryUpdate: KeepConfiguration<Expected> = async (actual, update) => {
    const differing = differingFields(expected, actual);
    const changeable = Object.entries(differing).filter(([field]) => !fixed.includes(field));
    const differences = describeDifferences(differing, actual);
    const isRefused = failure.isFinal && failure.differences === differences;
    if (changeable.length === 0 || isRefused || updatesLeft === 0) return actual;
    updatesLeft--;
    setTimeout(() => updatesLeft++, UPDATE_RETURNS_MS).unref();
    try {
      const updated = await update(Object.fromEntries(changeable) as Partial<Expected>);
      log.warn({ what, differences }, "the configuration was corrected");
      return updated;
    } catch (error) {
      const isFinal = error instanceof NatsError && error.isJetStreamError();
      const reason = `; the update ${isFinal ? "is refused" : "failed"}: ${describeError(error)}`;
      failure = { differences, reason, isFinal };
      return actual;
    }
  };

  return async (actual, update) => {
    const present = await tryUpdate(actual, update); // protects: stream-configuration
    const differing = differingFields(expected, present);
    if (Object.keys(differing).length === 0) {
      failure = { differences: "", reason: "", isFinal: false };
      report(undefined);
      return present;
    }
    const differences = describeDifferences(differing, present);
    const reason = differences === failure.differences ? failure.reason : "";
    report(`${what} has another configuration: ${differences}${reason}; ${REMEDY}`);
    return present;
  };
}

const REMEDY = "correct it, or delete it: it is created again, and nothing is lost";

/**
 * Returns the fields of `expected` that differ in `actual`. A field that the server omits counts as false, empty or 0.
 */
export function differingFields<Expected extends Fields>(expected: Expected, actual: Fields): Partial<Expected> {
  const differing = Object.entries(expected).filter(([field, value]) => !isSame(value, actual[field]));
  return Object.fromEntries(differing) as Partial<Expected>;
}

/** Describes all differences, such as `storage is "memory" instead of "file"`. Durations are in nanoseconds. */
export function describeDifferences(expected: Fields, actual: Fields): string {
  const parts = Object.keys(expected).map(
    (field) => `${field} is ${JSON.stringify(actual[field]) ?? "absent"} instead of ${JSON.stringify(expected[field])}`,
  );
  return parts.join(", ");
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (actual === undefined) return expected === false || expected === 0;
  return JSON.stringify(expected) === JSON.stringify(actual);
}
