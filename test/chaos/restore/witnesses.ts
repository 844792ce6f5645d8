import type { Ledger, LedgerRecord, RecordKind } from "../ledger/ledger.ts";
import { createParts, createPlace, linkParts, type Parts, type Place } from "../places/create-place.ts";
import { made } from "../places/made.ts";
import type { System } from "../system/start-system.ts";

/** Records of every kind whose state the restore changes: the random load might miss one. */
export interface Witnesses {
  /** A place that was created before the moment, and not changed after it. */
  readonly kept: Place;
  /** Records in that organization, deleted after the moment. */
  readonly doomed: readonly LedgerRecord[];
  /** A place that was deleted after the moment, with all its records. */
  readonly doomedPlace: Place;
}

/** The records of each kind to delete after the moment: records of the load seldom exist long enough for that. */
const DOOMED = 4;

export async function createWitnesses(system: System, ledger: Ledger, name: string): Promise<Witnesses> {
  const [kept, doomedPlace] = [await createPlace(system, `${name}-kept`), await createPlace(system, `${name}-doomed`)];
  for (const place of [kept, doomedPlace]) enter(ledger, place, place.parts);
  const doomed: LedgerRecord[] = [];
  for (let set = 0; set < DOOMED; set++) {
    const parts = await createParts(kept.rest, kept.organization, "doomed");
    await linkParts(kept.rest, parts);
    doomed.push(...enterParts(ledger, kept.organization, parts));
  }
  return { kept, doomed, doomedPlace };
}

/** Acts after the moment: deletes, and creates records that are linked to old ones and selected. */
export async function actAfterTheMoment(system: System, ledger: Ledger, { kept, doomed, doomedPlace }: Witnesses) {
  const { rest, organization } = kept;
  for (const record of doomed) {
    await made(rest.delete(PATHS[record.kind] + record.id));
    record.state = "deleted";
  }
  await made(doomedPlace.rest.delete(PATHS.organization + doomedPlace.organization));
  for (const record of ledger.records.values()) {
    if ([record.id, record.organization].includes(doomedPlace.organization)) record.state = "deleted";
  }
  const fresh = await createParts(rest, organization, "fresh");
  await linkParts(rest, { ...fresh, workspace: kept.parts.workspace });
  await linkParts(rest, { ...kept.parts, workspace: fresh.workspace });
  enterParts(ledger, organization, fresh);
  for (const [kind, resource] of [
    ["team", fresh.team],
    ["environment", fresh.environment],
  ] as const) {
    ledger.setLink({ workspace: kept.parts.workspace, kind, resource, state: "linked" });
  }
  await made(rest.put("/identity/users/preferences", { selectedWorkspace: fresh.workspace }));
  const newcomer = await createPlace(system, `${kept.name}-newcomer`);
  enter(ledger, newcomer, newcomer.parts);
}

function enter(ledger: Ledger, { name, organization }: Place, parts: Parts): void {
  ledger.addRecord({ kind: "organization", id: organization, name, organization: "" });
  enterParts(ledger, organization, parts);
  for (const [kind, resource] of [
    ["team", parts.team],
    ["environment", parts.environment],
  ] as const) {
    ledger.setLink({ workspace: parts.workspace, kind, resource, state: "linked" });
  }
}

function enterParts(ledger: Ledger, organization: string, parts: Parts): LedgerRecord[] {
  const kinds = ["team", "environment", "workspace"] as const;
  return kinds.map((kind) => ledger.addRecord({ kind, id: parts[kind], name: "witness", organization }));
}

const PATHS: Readonly<Record<RecordKind, string>> = {
  environment: "/environments/",
  team: "/identity/teams/",
  workspace: "/workspaces/",
  organization: "/identity/organizations/",
};
