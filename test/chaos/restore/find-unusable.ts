import { type RestResponse, restClients } from "../../e2e/rest.ts";
import type { Census } from "../census/take-census.ts";
import type { Ledger, LedgerRecord } from "../ledger/ledger.ts";
import { mapAtOnce } from "../system/map-at-once.ts";
import type { System } from "../system/start-system.ts";

/**
 * Uses every live record of the ledger where another service must agree: links a team or an environment, selects a
 * workspace, creates records in an organization. Returns the refused operations.
 */
export async function findUnusable(system: System, ledger: Ledger, census: Census): Promise<string[]> {
  const isLive = ({ kind, id, organization }: LedgerRecord) =>
    census.stateOf(kind, id) === "live" &&
    (kind === "organization" || census.stateOf("organization", organization) === "live");
  const live = [...ledger.records.values()].filter(isLive);
  const homes = new Map(
    live.filter(({ kind }) => kind === "workspace").map(({ organization, id }) => [organization, id]),
  );
  const rest = restClients(system.demo).providerAdmin;
  const uses = live.flatMap((record): { record: LedgerRecord; send: () => Promise<RestResponse> }[] => {
    const { kind, id } = record;
    const created = { name: "after the restore", organizationId: id };
    const home = homes.get(record.organization);
    switch (kind) {
      case "organization":
        return [
          { record, send: () => rest.post("/workspaces", created) },
          { record, send: () => rest.post("/environments", created) },
        ];
      case "workspace":
        return [{ record, send: () => rest.put("/identity/users/preferences", { selectedWorkspace: id }) }];
      case "team":
      case "environment":
        return home === undefined ? [] : [{ record, send: () => rest.post(`/workspaces/${home}/${kind}s/${id}`) }];
      default:
        return kind satisfies never;
    }
  });
  const refused = await mapAtOnce(8, uses, async ({ record: { kind, id, name }, send }) => {
    const { status, body } = await send();
    return status < 300 ? [] : [`${kind} ${name} ${id}: ${status} ${body?.error}`];
  });
  return refused.flat();
}
