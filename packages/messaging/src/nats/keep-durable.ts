import type { Telemetry } from "@cloud/telemetry";
import type { JetStreamManager } from "nats";
import { createConfigurationKeeper } from "./keep-configuration.ts";
import {
  type DurableConfiguration,
  durableConfiguration,
  ensureDurable,
  streamName,
  undefinedWhenMissing,
} from "./topology.ts";

/**
 * While one of these fields is wrong, a durable skips messages, and correcting it does not bring them back. So the
 * durable is deleted and created again, and delivers all messages from the first. Inboxes ignore those already applied.
 */
const SKIPPING: readonly (keyof DurableConfiguration)[] = ["filter_subject", "max_deliver", "headers_only"];

const CONDITION = "consumer-configuration";

/** Collects the durables of a process whose configuration cannot be corrected into one condition. */
export function createDurableReports({ conditions }: Telemetry) {
  const messages = new Map<string, string>();
  return (durable: string, message: string | undefined): void => {
    if (message === undefined) messages.delete(durable);
    else messages.set(durable, message);
    if (messages.size === 0) conditions.clear(CONDITION);
    else conditions.raise(CONDITION, [...messages.values()].sort().join("; "));
  };
}

export type ReportDurable = ReturnType<typeof createDurableReports>;

/**
 * Creates the function that creates a durable if it is missing and keeps its configuration. It returns the number of
 * messages that were not delivered yet.
 */
export function createDurableKeeper(
  durable: string,
  subject: string,
  report: ReportDurable,
  log: Telemetry["log"],
): (jsm: JetStreamManager) => Promise<number> {
  const keepConfiguration = createConfigurationKeeper<DurableConfiguration>({
    what: `the durable ${durable}`,
    expected: durableConfiguration(subject),
    fixed: ["ack_policy", "deliver_policy", "replay_policy"],
    log,
    report: (message) => report(durable, message),
  });
  return async (jsm) => {
    const { config, num_pending: pending } = await ensureDurable(jsm, durable, subject);
    await keepConfiguration(config as DurableConfiguration, async (changes) => {
      if (SKIPPING.some((field) => field in changes)) {
        await jsm.consumers.delete(streamName, durable).catch(undefinedWhenMissing);
        return (await ensureDurable(jsm, durable, subject)).config as DurableConfiguration;
      }
      const updated = await jsm.consumers.update(streamName, durable, changes);
      return updated.config as DurableConfiguration;
    });
    return pending;
  };
}
