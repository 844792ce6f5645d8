import type { SignalSubscription } from "@cloud/events";

/** Returns the NATS subject of a service's commits. It is outside of `cloud.v1`: the stream stores no signals. */
export const commitSubject = (service: string): string => `cloud.commits.${service}`;

/** The signals of the commits of a service. */
export interface CommitSignals {
  /**
   * Calls `listener` soon after each transaction that any replica of the service has committed: at most once, and never
   * while NATS is away. A reader must therefore find the rows of a commit without the signal, too.
   */
  onCommit(listener: () => void): SignalSubscription;
}

/** The absence of signals, for the operator's commands, which end before they could wait for a commit. */
export const noCommitSignals: CommitSignals = {
  onCommit: () => ({ isHeard: () => false, stop: () => undefined }),
};
