import { Histogram, type Registry } from "prom-client";

/**
 * Upper bounds in seconds: those that OpenTelemetry advises for requests, and two below, because a read by id takes 1 to
 * 3 ms.
 */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export interface DurationsOptions<Label extends string> {
  /** Ends in `_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly registry: Registry;
}

/**
 * Creates a histogram of durations in seconds. Values of labels come from a catalogue, never from a client: each one is
 * kept.
 */
export function createDurations<Label extends string>(options: DurationsOptions<Label>): Histogram<Label> {
  const { name, help, labelNames, registry } = options;
  return new Histogram({ name, help, labelNames, buckets: BOUNDS, registers: [registry] });
}
