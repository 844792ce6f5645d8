import { Code, ConnectError } from "@connectrpc/connect";

/** The end of all streams, when the program stops. */
export interface Ending {
  readonly isEnded: boolean;
  /** Calls `report` at the end. Returns the function that no longer does. */
  onEnd(report: () => void): () => void;
  end(): void;
}

export function createEnding(): Ending {
  // Not a promise: what waits for one is kept until it settles.
  const reports = new Set<() => void>();
  let isEnded = false;
  return {
    get isEnded() {
      return isEnded;
    },
    onEnd: (report) => {
      reports.add(report);
      return () => void reports.delete(report);
    },
    end: () => {
      isEnded = true;
      for (const report of reports) report();
      reports.clear();
    },
  };
}

/** The error that a stream ends with: its client reconnects to another replica. */
export const stopping = () => new ConnectError("the server is stopping", Code.Unavailable);
