import type { Line, Workspace } from "./model.ts";
import type { Refusal } from "./refusals.ts";

/** Returns the log line of an operation, successful or refused. */
export function lineOf(
  action: Line["action"],
  actedUpon: string,
  actedUponKind: Line["actedUponKind"],
  owner: string,
  refusal?: Refusal,
): Line {
  const what = { action, actedUpon, actedUponKind, owner };
  return refusal === undefined
    ? { ...what, severity: "success", metadata: {} }
    : { ...what, severity: "error", metadata: { code: refusal.code, error: refusal.error } };
}

/** Calls without a token leave no line. */
export function addLine({ log }: Workspace, line: Line): void {
  if (line.metadata["code"] !== "UNAUTHENTICATED") log.push(line);
}
