import type { Logger } from "pino";
import { Gauge, type Registry } from "prom-client";

/** Something that an operator must act on although the service still serves. */
export interface Condition {
  /** Kebab case, stable: the label of the metric and the first word of the line in `/readyz`. */
  readonly name: string;
  /** The fault, in one line. */
  readonly message: string;
}

/**
 * The conditions of one program. Each is logged as an error when it begins or its message changes, and again when it
 * ends; meanwhile it is 1 in the metric `operator_condition` and a line of `/readyz`, whose status it does not
 * change.
 */
export interface Conditions {
  raise(name: string, message: string): void;
  clear(name: string): void;
  /** Returns the current conditions, by name. */
  list(): readonly Condition[];
}

export function createConditions(log: Logger, metrics: Registry): Conditions {
  const raised = new Map<string, string>();
  const gauge = new Gauge({
    name: "operator_condition",
    help: "1 while a condition holds that an operator must act on; /readyz describes it",
    labelNames: ["condition"],
    registers: [metrics],
  });
  return {
    raise: (name, message) => {
      if (raised.get(name) === message) return;
      raised.set(name, message);
      gauge.set({ condition: name }, 1);
      log.error({ condition: name }, message);
    },
    clear: (name) => {
      if (!raised.delete(name)) return;
      gauge.set({ condition: name }, 0);
      log.info({ condition: name }, "the condition has ended");
    },
    list: () =>
      [...raised].map(([name, message]) => ({ name, message })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
