import type { Census } from "../census/take-census.ts";
import type { Ledger } from "../ledger/ledger.ts";

/**
 * Returns what was deleted between two censuses although it was neither unknown itself nor part of an unknown
 * organization. Should be nothing after the operator's command.
 */
export function findOverreach(before: Census, after: Census, ledger: Ledger): string[] {
  const isForgotten = (organization: string) =>
    organization !== "" && before.stateOf("organization", organization) === undefined;
  const kept = new Set(after.references.map(({ holder, kind, id }) => `${holder} ${kind} ${id}`));
  const references = before.references.filter(
    ({ holder, kind, id }) =>
      !kept.has(`${holder} ${kind} ${id}`) &&
      before.stateOf(kind, id) !== undefined &&
      !isForgotten(ledger.records.get(id)?.organization ?? ""),
  );
  const records = [...ledger.records.values()].filter(
    ({ kind, id, organization }) =>
      before.stateOf(kind, id) === "live" && after.stateOf(kind, id) !== "live" && !isForgotten(organization),
  );
  return [...references, ...records].map(({ kind, id }) => `${kind} ${id}`);
}
