import type { Census } from "../census/take-census.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/**
 * Returns what clients left live and the owner lost, but which was deleted nevertheless: links to lost records, records
 * of lost organizations. Should be nothing, because a record that its owner lost is not deleted.
 */
export async function findEnded({ of }: SystemDatabases, ledger: Ledger, { stateOf }: Census): Promise<string[]> {
  const rows = await of.workspace<{ link: string }>(selectLinks);
  const links = new Set(rows.map(({ link }) => link));
  const endedLinks = [...ledger.links.values()].filter(
    ({ workspace, kind, resource, state }) =>
      state === "linked" &&
      ledger.records.get(resource)?.state === "live" &&
      stateOf(kind, resource) === undefined &&
      stateOf("workspace", workspace) === "live" &&
      !links.has(`${workspace} ${kind} ${resource}`),
  );
  const endedRecords = [...ledger.records.values()].filter(
    ({ kind, id, organization, state }) =>
      state === "live" &&
      ledger.records.get(organization)?.state === "live" &&
      stateOf("organization", organization) === undefined &&
      stateOf(kind, id) === "deleted",
  );
  return [
    ...endedLinks.map(({ workspace, kind, resource }) => `link of ${workspace} to ${kind} ${resource}`),
    ...endedRecords.map(({ kind, id, organization }) => `${kind} ${id} of ${organization}`),
  ];
}

const selectLinks = `
  select workspace_id || ' ' || kind || ' ' || resource_id as link
  from workspace.assignments`;
