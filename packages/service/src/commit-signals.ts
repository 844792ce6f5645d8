import type { EventTransport, SignalSubscription } from "@cloud/events";
import type { Database } from "@cloud/postgres";

/** Outside of `cloud.v1`: the stream stores no signals. */
export const commitSubject = (service: string): string => `cloud.commits.${service}`;

/** The signals of the commits of a service. */
export interface CommitSignals {
  /**
   * Calls `listener` after each transaction that any replica of the service has committed: soon, at most once, and never
   * while NATS is away. What a commit has written has to be found without it, too.
   */
  onCommit(listener: () => void): SignalSubscription;
}

/** For commands of the operator, which end before they could wait for a commit. */
export const noCommitSignals: CommitSignals = {
  onCommit: () => ({ isHeard: () => false, stop: () => undefined }),
};

/** Returns a database that signals each of its commits. One whose confirmation is lost has no signal. */
export function signalCommits(db: Database, transport: EventTransport, service: string): Database {
  const signal = () => transport.signal(commitSubject(service));
  return {
    ...db,
    transaction: async (work) => {
      const result = await db.transaction(work);
      signal();
      return result;
    },
    batch: async (statements) => {
      await db.batch(statements);
      signal();
    },
  };
}
